import type { OwnedHeapCharPointer, QuickJSWASMModule } from "quickjs-emscripten-core";

interface Allocator {
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly HEAPU8: Uint8Array;
}

/** Puts texts and words where the engine can read them. */
export class Heap {
  private readonly allocator: Allocator;

  private constructor(allocator: Allocator) {
    this.allocator = allocator;
  }

  /** That of an engine, which the library keeps to itself. */
  static of(engine: QuickJSWASMModule): Heap {
    return new Heap((engine as unknown as { module: Allocator }).module);
  }

  allocate(bytes: number): number {
    const pointer = this.allocator._malloc(bytes);
    if (pointer === 0) throw new Error("the engine has no memory left");
    return pointer;
  }

  free(pointer: number): void {
    this.allocator._free(pointer);
  }

  /** A text as C has it: `length` bytes of UTF-8, and a zero. */
  put(text: string): { readonly pointer: OwnedHeapCharPointer; readonly length: number } {
    const length = Buffer.byteLength(text);
    const pointer = this.allocate(length + 1);
    // Made anew each time: the memory's buffer is another one once it has grown.
    const bytes = Buffer.from(this.allocator.HEAPU8.buffer, pointer, length + 1);
    bytes.write(text);
    bytes[length] = 0;
    return { pointer: pointer as OwnedHeapCharPointer, length };
  }

  putWords(pointer: number, words: ArrayLike<number>): void {
    new Uint32Array(this.allocator.HEAPU8.buffer, pointer, words.length).set(words);
  }
}
