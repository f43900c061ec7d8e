import type { OwnedHeapCharPointer, QuickJSWASMModule } from "quickjs-emscripten-core";

const PAGE = 65_536;

/** The engine asks for a twentieth more than it needs, at least. */
const SLACK = 1.05;

/** The memory of an engine, with a limit. The engine's own limit counts nothing in WebAssembly. */
export class BoundedMemory {
  readonly memory = new WebAssembly.Memory({ initial: 256, maximum: 16_384 });
  /** The address up to which the memory may be used. */
  limit = 0;

  constructor() {
    const grow = this.memory.grow.bind(this.memory);
    this.memory.grow = (pages) => {
      if (this.memory.buffer.byteLength + pages * PAGE > this.limit * SLACK)
        throw new RangeError("the memory may not grow so far");
      return grow(pages);
    };
  }
}

interface Allocator {
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly HEAPU8: Uint8Array;
}

/** Writes texts and words where the engine reads them. */
export class Heap {
  private readonly allocator: Allocator;

  constructor(engine: QuickJSWASMModule) {
    // The library keeps it to itself.
    this.allocator = (engine as unknown as { module: Allocator }).module;
  }

  allocate(bytes: number): number {
    const pointer = this.allocator._malloc(bytes);
    if (pointer === 0) throw new Error("the engine has no memory left");
    return pointer;
  }

  free(pointer: number): void {
    this.allocator._free(pointer);
  }

  /** Writes a C string: `length` bytes of UTF-8, and a zero. */
  put(text: string): { readonly pointer: OwnedHeapCharPointer; readonly length: number } {
    const length = Buffer.byteLength(text);
    const pointer = this.allocate(length + 1);
    // Growing replaces the memory's buffer.
    const bytes = Buffer.from(this.allocator.HEAPU8.buffer, pointer, length + 1);
    bytes.write(text);
    bytes[length] = 0;
    return { pointer: pointer as OwnedHeapCharPointer, length };
  }

  putWords(pointer: number, words: ArrayLike<number>): void {
    new Uint32Array(this.allocator.HEAPU8.buffer, pointer, words.length).set(words);
  }
}

/** What is cleared and looked at is a multiple of this. */
const BLOCK = 65_536;
const ZEROS = Buffer.alloc(BLOCK);

/** The engine's static data ends below this address; checked when an image is taken. */
const DATA_END = 2 * BLOCK;

/** The engine refuses to use more stack than 64 KiB. Three times that is cleared, and the block below is checked. */
const STACK = 3 * BLOCK;

/** The engine's memory: static data from below, the stack that grows down to it, the heap. */
export interface MemoryLayout {
  /** Address of the word in which the allocator keeps the end of its heap. */
  readonly heapEnd: number;
  /** The last multiple of a block before the heap. The little stack above it counts as heap. */
  readonly base: number;
}

/** Finds the layout of an unused engine: an allocation moves the end of the heap beyond itself. */
export function findLayout(memory: WebAssembly.Memory, heap: Heap): MemoryLayout {
  const before = new Uint32Array(memory.buffer.slice(0, DATA_END));
  const bytes = 4 * BLOCK;
  const pointer = heap.allocate(bytes);
  const after = new Uint32Array(memory.buffer, 0, before.length);
  let found: number | undefined;
  for (const [index, word] of before.entries()) {
    const hasMoved = word !== 0 && word !== after[index] && (after[index] as number) >= pointer + bytes;
    // The allocator's topmost chunk moves as well; it ends where the heap ends, or before.
    if (hasMoved && (found === undefined || (after[index] as number) > (after[found] as number))) found = index;
  }
  heap.free(pointer);
  if (found === undefined) throw new Error("the end of the engine's heap was not found");
  return { heapEnd: found * 4, base: pointer - (pointer % BLOCK) };
}

/** Whether there is nothing but zeros between two multiples of a block. */
function isClear(memory: WebAssembly.Memory, from: number, to: number): boolean {
  for (let address = from; address < to; address += BLOCK) {
    if (!ZEROS.equals(new Uint8Array(memory.buffer, address, BLOCK))) return false;
  }
  return true;
}

/** A copy of an engine's memory. Copying it back undoes everything since, for a fraction of the cost of a new engine. */
export class MemoryImage {
  private readonly data: Uint8Array;
  private readonly heap: Uint8Array;

  /** Call it while the engine is at rest. */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly layout: MemoryLayout,
  ) {
    if (!isClear(memory, DATA_END, layout.base - STACK))
      throw new Error("the engine's memory is not laid out as expected");
    const bytes = new Uint8Array(memory.buffer);
    this.data = bytes.slice(0, DATA_END);
    this.heap = bytes.slice(layout.base, this.end);
  }

  /** The address at which the heap ends with so many bytes more than the image has. */
  endWith(bytes: number): number {
    return this.layout.base + this.heap.length + bytes;
  }

  /** The address at which the heap ends now. */
  get end(): number {
    return new DataView(this.memory.buffer).getUint32(this.layout.heapEnd, true);
  }

  /** False when the engine used more stack than it may: then something is left of it. */
  restore(): boolean {
    const { data, heap, memory, end } = this;
    const { base } = this.layout;
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(data, 0);
    bytes.fill(0, base - STACK, base);
    bytes.set(heap, base);
    if (end > base + heap.length) bytes.fill(0, base + heap.length, end);
    return isClear(memory, base - STACK - BLOCK, base - STACK);
  }
}
