import type { PGlite } from "@electric-sql/pglite";

/** The parts of the compiled database that tell a setting. */
interface CompiledModule {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _GetConfigOption(name: number, missingOk: 0 | 1, privileged: 0 | 1): number;
  UTF8ToString(pointer: number): string;
}

/**
 * Reads a setting of the session in its base unit, as `current_setting` would without it, and without a statement: in less
 * than a microsecond, within a failed transaction too.
 */
export function sessionSetting(database: PGlite, name: string): () => number {
  const compiled = database.Module as unknown as CompiledModule;
  const text = Buffer.from(`${name}\0`);
  const pointer = compiled._malloc(text.length);
  compiled.HEAPU8.set(text, pointer);
  return () => Number(compiled.UTF8ToString(compiled._GetConfigOption(pointer, 0, 0)));
}
