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
