import type { OwnedHeapCharPointer, QuickJSWASMModule } from "quickjs-emscripten-core";

const PAGE = 65_536;

/** The engine requests at least 5 % more than it needs. */
const SLACK = 1.05;

/** The memory of an engine, with a limit. QuickJS's own limit has no effect in WebAssembly. */
export class BoundedMemory {
  readonly memory = new WebAssembly.Memory({ initial: 256, maximum: 16_384 });
  /** The end address of the memory that can be used. */
  limit = 0;

  constructor() {
    const grow = this.memory.grow.bind(this.memory);
    this.memory.grow = (pages) => {
      if (this.memory.buffer.byteLength + pages * PAGE > this.limit * SLACK)
        throw new RangeError("the memory cannot grow that far");
      return grow(pages);
    };
  }
}

interface Allocator {
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly HEAPU8: Uint8Array;
}

/** Writes strings and words into the engine's memory. */
export class Heap {
  private readonly allocator: Allocator;

  constructor(engine: QuickJSWASMModule) {
    // The library has no public access to it.
    this.allocator = (engine as unknown as { module: Allocator }).module;
  }

  allocate(bytes: number): number {
    const pointer = this.allocator._malloc(bytes);
    if (pointer === 0) throw new Error("the engine is out of memory");
    return pointer;
  }

  free(pointer: number): void {
    this.allocator._free(pointer);
  }

  /** Writes a C string: `length` bytes of UTF-8 and a NUL. */
  put(text: string): { readonly pointer: OwnedHeapCharPointer; readonly length: number } {
    const length = Buffer.byteLength(text);
    const pointer = this.allocate(length + 1);
    // Growth replaces the memory's buffer.
    const bytes = Buffer.from(this.allocator.HEAPU8.buffer, pointer, length + 1);
    bytes.write(text);
    bytes[length] = 0;
    return { pointer: pointer as OwnedHeapCharPointer, length };
  }

  putWords(pointer: number, words: ArrayLike<number>): void {
    new Uint32Array(this.allocator.HEAPU8.buffer, pointer, words.length).set(words);
  }
}

/** Unit of clearing and comparing. */
const BLOCK = 65_536;
const ZEROS = Buffer.alloc(BLOCK);

/** Upper bound of the engine's static data. Checked when an image is taken. */
const DATA_END = 2 * BLOCK;

/** The stack limit of the engine is 64 KiB. Three times that is cleared, and the block below is checked. */
const STACK = 3 * BLOCK;

/** The engine's memory, from low addresses: static data, the stack that grows down to it, the heap. */
export interface MemoryLayout {
  /** Address of the word in which the allocator stores the end of its heap. */
  readonly heapEnd: number;
  /** The last block boundary below the heap. The part of the stack above it counts as heap. */
  readonly base: number;
}

/** Finds the layout of an unused engine: a large allocation moves the end of the heap. */
export function findLayout(memory: WebAssembly.Memory, heap: Heap): MemoryLayout {
  const before = new Uint32Array(memory.buffer.slice(0, DATA_END));
  const bytes = 4 * BLOCK;
  const pointer = heap.allocate(bytes);
  const after = new Uint32Array(memory.buffer, 0, before.length);
  let endIndex: number | undefined;
  for (const [index, word] of before.entries()) {
    const hasMoved = word !== 0 && word !== after[index] && (after[index] as number) >= pointer + bytes;
    // The allocator's top chunk moves as well, but never ends above the heap.
    if (hasMoved && (endIndex === undefined || (after[index] as number) > (after[endIndex] as number)))
      endIndex = index;
  }
  heap.free(pointer);
  if (endIndex === undefined) throw new Error("the end of the engine's heap was not found");
  return { heapEnd: endIndex * 4, base: pointer - (pointer % BLOCK) };
}

/** Whether all bytes between two block boundaries are zero. */
function isClear(memory: WebAssembly.Memory, from: number, to: number): boolean {
  for (let address = from; address < to; address += BLOCK) {
    if (!ZEROS.equals(new Uint8Array(memory.buffer, address, BLOCK))) return false;
  }
  return true;
}

/** Unit of changes. */
const PART = 4_096;

/** Changed parts of a memory. */
export interface ImageChanges {
  readonly parts: readonly { readonly address: number; readonly bytes: Uint8Array }[];
  /** Bytes. */
  readonly size: number;
}

/** A copy of an engine's memory. Restoring it undoes all changes and is much cheaper than a new engine. */
export class MemoryImage {
  private readonly data: Uint8Array;
  private readonly heap: Uint8Array;

  /** The engine must be idle. */
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

  /** The end address of a heap that is `bytes` larger than the image. */
  endWith(bytes: number): number {
    return this.layout.base + this.heap.length + bytes;
  }

  /** The current end address of the heap. */
  get end(): number {
    return new DataView(this.memory.buffer).getUint32(this.layout.heapEnd, true);
  }

  /** The changes of the memory since the image, without the stack. The engine must be idle. */
  changes(): ImageChanges {
    const { data, heap, layout } = this;
    const bytes = new Uint8Array(this.memory.buffer);
    const parts: ImageChanges["parts"][number][] = [];
    const collect = (from: number, to: number, image: Uint8Array): void => {
      for (let address = from; address < to; address += PART) {
        const part = bytes.subarray(address, Math.min(address + PART, to));
        const former = image.subarray(address - from, address - from + part.length);
        if (Buffer.compare(part, former) !== 0) parts.push({ address, bytes: part.slice() });
      }
    };
    collect(0, DATA_END, data);
    collect(layout.base, this.end, heap);
    return { parts, size: parts.length * PART };
  }

  /** Makes these changes of the restored memory. */
  apply({ parts }: ImageChanges): void {
    const bytes = new Uint8Array(this.memory.buffer);
    for (const part of parts) bytes.set(part.bytes, part.address);
  }

  /** Returns false if the stack overflowed its limit, so that traces remain. */
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
