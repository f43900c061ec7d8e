import { ConfigurationError } from "../src/configuration/configuration-error.ts";
import { loadConfiguration } from "../src/configuration/load-configuration.ts";

export const memory = { storage: { engine: "memory" } };
export const postgres = (url: string, more: object = {}) => ({ storage: { engine: "postgres", url, ...more } });
export const embedded = (dataDir: string, more: object = {}) => ({ storage: { engine: "embedded", dataDir, ...more } });

export const masterKey = Buffer.alloc(32, 1).toString("base64");

/** The error message for these contents, together with a database in memory. */
export function messageOf(content: object, environment: Record<string, string> = {}): string {
  try {
    loadConfiguration({ content: { databases: [memory], ...content }, environment });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return "accepted";
}
