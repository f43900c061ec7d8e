/** The UUID of an object; they do not ascend with the numbers. */
export function uuidOf(number: number): string {
  return `${(((number + 1) * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
