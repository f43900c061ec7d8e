import { floor } from "./primordials.ts";

type Seed = readonly [number, number, number, number];

/** sfc32 by Chris Doty-Humphrey: statistically good, not cryptographically secure. */
function generator([a, b, c, d]: Seed): () => number {
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
}

let next = generator([1, 2, 3, 4]);

/** Every invocation gets its own seed from the host. */
export function seed(a: number, b: number, c: number, d: number): void {
  next = generator([a, b, c, d]);
}

/** 53 random bits as a number in [0, 1). */
export function random(): number {
  return ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
}

const HEX = "0123456789abcdef";

/** A UUID, version 4. */
export function uuid(): string {
  let text = "";
  for (let digit = 0; digit < 32; digit += 1) {
    if (digit === 8 || digit === 12 || digit === 16 || digit === 20) text += "-";
    const value = digit === 12 ? 4 : digit === 16 ? 8 + floor(random() * 4) : floor(random() * 16);
    text += HEX[value] as string;
  }
  return text;
}
