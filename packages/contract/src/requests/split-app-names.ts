const mostAppNames = 100;

/** App names with commas between them; `null` for blank ones and too many. */
export function splitAppNames(text: string): string[] | null {
  const names = text.split(",").map((name) => name.trim());
  return names.includes("") || names.length > mostAppNames ? null : names;
}
