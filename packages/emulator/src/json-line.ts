/** The value on a line of a file with one JSON text a line. Throws an Error that names the line, counted from 1. */
export function parseJsonLine(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`line ${number} is not JSON: ${reason}`);
  }
}
