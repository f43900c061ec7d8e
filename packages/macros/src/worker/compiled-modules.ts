import type { MacroModule } from "@sallyport/core";
import type { ImageChanges } from "./memory-image.ts";

/** Bytes that an engine keeps for its compiled modules: some twenty of 8 KiB of JavaScript. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What the compilation of modules changes in the memory of an engine. The least recently used ones are dropped. */
export class CompiledModules {
  private readonly changes = new Map<string, ImageChanges>();
  private bytes = 0;

  find(module: MacroModule): ImageChanges | undefined {
    const key = keyOf(module);
    const changes = this.changes.get(key);
    if (changes !== undefined) {
      this.changes.delete(key);
      this.changes.set(key, changes);
    }
    return changes;
  }

  keep(module: MacroModule, changes: ImageChanges): void {
    if (changes.size > MAX_BYTES) return;
    this.changes.set(keyOf(module), changes);
    this.bytes += changes.size;
    for (const [key, { size }] of this.changes) {
      if (this.bytes <= MAX_BYTES) return;
      this.changes.delete(key);
      this.bytes -= size;
    }
  }
}

/** The code is part of it: databases have different modules of the same name. */
function keyOf({ name, code }: MacroModule): string {
  return `${name}\n${code}`;
}
