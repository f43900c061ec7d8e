import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The path of a PEM file in `keys`, by its base name. */
export function keyPath(name: string): string {
  return fileURLToPath(new URL(`../../keys/${name}.pem`, import.meta.url));
}

export function pemFile(name: string): string {
  return readFileSync(keyPath(name), "utf8");
}
