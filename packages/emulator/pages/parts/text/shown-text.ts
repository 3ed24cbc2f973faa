// Characters that would hide, reverse or join the text around them. A joiner inside a word or an emoji does not do that.
const UNSEEN =
  /(?!(?<=[\p{L}\p{M}\p{Emoji_Presentation}\p{Emoji_Modifier}])(?:\u200c|\u200d))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a text from elsewhere readable: invisible characters become escapes. A text without visible characters is also quoted.
 */
export function shownText(text: string): string {
  return text.trim() === '' ? JSON.stringify(text) : escapeUnseen(text);
}

/** Replaces invisible characters by their JSON escapes. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (each) => {
    const escaped = JSON.stringify(each).slice(1, -1);
    return escaped === each
      ? Array.from({ length: each.length }, (_, at) => unit(each, at)).join('')
      : escaped;
  });
}

function unit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
