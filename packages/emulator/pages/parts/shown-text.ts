// What would hide, turn round or join the text around it; a joiner within a word or an emoji does none of that.
const UNSEEN =
  /(?!(?<=[\p{L}\p{M}\p{Emoji_Presentation}\p{Emoji_Modifier}])(?:\u200c|\u200d))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text that came from elsewhere as one reads it: what cannot be seen as its escape, and in quotes where nothing can. */
export function shownText(text: string): string {
  return text.trim() === '' ? JSON.stringify(text) : escapeUnseen(text);
}

/** A text with what cannot be seen as its escape in JSON. */
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
