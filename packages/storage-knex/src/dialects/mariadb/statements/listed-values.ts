/** The array of texts that is the parameter of that number as a table with the column `value`. */
export function textsOf(parameter: number): string {
  return `json_table($${parameter}, '$[*]' columns (value longtext path '$'))`;
}

/** The same of whole numbers. */
export function numbersOf(parameter: number): string {
  return `json_table($${parameter}, '$[*]' columns (value bigint path '$'))`;
}
