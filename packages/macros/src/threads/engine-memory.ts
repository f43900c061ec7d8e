import type { OwnedHeapCharPointer, QuickJSWASMModule } from "quickjs-emscripten-core";

const PAGE = 65_536;

/** The engine asks for a twentieth more than it needs, at the least. */
const MORE = 1.05;

/** The memory of an engine, which grows as far as it may. The engine's own limit counts nothing in WebAssembly. */
export class BoundedMemory {
  readonly memory = new WebAssembly.Memory({ initial: 256, maximum: 16_384 });
  /** The address up to which the memory may be used. */
  limit = 0;

  constructor() {
    const grow = this.memory.grow.bind(this.memory);
    this.memory.grow = (pages) => {
      if (this.memory.buffer.byteLength + pages * PAGE > this.limit * MORE)
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

const KIB = 1024;
const BLOCK = 64 * KIB;
const ZEROS = Buffer.alloc(BLOCK);

/** Static data of the engine ends below this address; checked when an image is taken. */
const DATA_END = 2 * BLOCK;

/** The engine refuses to use more stack than 64 KiB. Three times that is cleared, and the block below looked at. */
const STACK = 3 * BLOCK;

/** How the engine's memory is laid out: static data from below; a stack that grows down to it; the heap. */
export interface MemoryLayout {
  /** Address of the word in which the allocator keeps the end of its heap. */
  readonly heapEnd: number;
  /** The last multiple of a block before the heap begins. The little stack above it counts as heap. */
  readonly base: number;
}

/** Finds that out, in an engine in which nothing was done yet: an allocation moves the end of the heap beyond itself. */
export function findLayout(memory: WebAssembly.Memory, heap: Heap): MemoryLayout {
  const before = new Uint32Array(memory.buffer.slice(0, DATA_END));
  const bytes = 4 * BLOCK;
  const pointer = heap.allocate(bytes);
  const after = new Uint32Array(memory.buffer, 0, before.length);
  let found: number | undefined;
  for (const [index, word] of before.entries()) {
    const moved = word !== 0 && word !== after[index] && (after[index] as number) >= pointer + bytes;
    // The allocator's topmost chunk is moved as well; it ends where the heap ends, or before.
    if (moved && (found === undefined || (after[index] as number) > (after[found] as number))) found = index;
  }
  heap.free(pointer);
  if (found === undefined) throw new Error("the end of the engine's heap was not found");
  return { heapEnd: found * 4, base: pointer - (pointer % BLOCK) };
}

/** Whether nothing but zeros lies between two multiples of a block. */
function isClear(memory: WebAssembly.Memory, from: number, to: number): boolean {
  for (let address = from; address < to; address += BLOCK) {
    if (!ZEROS.equals(new Uint8Array(memory.buffer, address, BLOCK))) return false;
  }
  return true;
}

/** What an engine's memory holds besides zeros. */
interface Content {
  readonly data: Uint8Array;
  readonly heap: Uint8Array;
}

/** Those of the first engine of this thread. */
const known: Content[] = [];

/** The two words at which an engine's own random numbers begin. They come from the clock, and nobody sees these numbers. */
const MOST_DIFFERENCES = 2;

/** Engines are made in the same way, and hold the same: those of a thread share one content, which the processor has at hand then. */
function shared(content: Content): Content {
  const like = known.find(({ heap }) => heap.length === content.heap.length);
  if (like === undefined) known.push(content);
  return like !== undefined &&
    differences(like.data, content.data) + differences(like.heap, content.heap) <= MOST_DIFFERENCES
    ? like
    : content;
}

/** In how many words two pieces of memory differ that are of the same length. */
function differences({ buffer: one }: Uint8Array, { buffer: other }: Uint8Array): number {
  const [words, others] = [new Uint32Array(one), new Uint32Array(other)];
  let count = 0;
  for (let index = 0; index < words.length; index += 1) if (words[index] !== others[index]) count += 1;
  return count;
}

/**
 * The memory of an engine with everything that was made in it, to be copied back: afterwards the engine is as it was, and
 * nothing of what happened since is left in it. Cheaper by far than to make a runtime anew.
 */
export class MemoryImage {
  private readonly memory: WebAssembly.Memory;
  private readonly layout: MemoryLayout;
  private readonly content: Content;

  /** To be taken while the engine is at rest. */
  constructor(memory: WebAssembly.Memory, layout: MemoryLayout) {
    this.memory = memory;
    this.layout = layout;
    if (!isClear(memory, DATA_END, layout.base - STACK))
      throw new Error("the engine's memory is not laid out as expected");
    const bytes = new Uint8Array(memory.buffer);
    this.content = shared({ data: bytes.slice(0, DATA_END), heap: bytes.slice(layout.base, this.end) });
  }

  /** Bytes that the engine holds. */
  get size(): number {
    return this.memory.buffer.byteLength;
  }

  /** The address at which the heap ends with so many bytes more than it had in the beginning. */
  endWith(bytes: number): number {
    return this.layout.base + this.content.heap.length + bytes;
  }

  /** The address at which the heap ends. */
  get end(): number {
    return new DataView(this.memory.buffer).getUint32(this.layout.heapEnd, true);
  }

  /** False when more stack was used than may be: then not everything is as it was. */
  restore(): boolean {
    const { memory, end } = this;
    const { base } = this.layout;
    const { data, heap } = this.content;
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(data, 0);
    bytes.fill(0, base - STACK, base);
    bytes.set(heap, base);
    if (end > base + heap.length) bytes.fill(0, base + heap.length, end);
    return isClear(memory, base - STACK - BLOCK, base - STACK);
  }
}
