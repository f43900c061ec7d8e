/** The array of texts that is the parameter of that number as a table with the column `value`. */
export function textsOf(parameter: number): string {
  return `json_table($${parameter}, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$'))`;
}

/** The same of whole numbers. */
export function numbersOf(parameter: number): string {
  return `json_table($${parameter}, '$[*]' columns (value bigint path '$'))`;
}
