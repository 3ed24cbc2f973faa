/** One line without control characters. Texts of files and answers may have some that change what a terminal shows. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}
