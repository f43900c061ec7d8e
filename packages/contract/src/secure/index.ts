export { decodeBase64, encodeBase64 } from "./base64.ts";
export {
  buildCounterBlock,
  type CounterBlock,
  counterBlockLength,
  type Direction,
  directions,
  parseCounterBlock,
} from "./counter-block.ts";
export { type EncryptedHeader, formatEncryptedHeader, parseEncryptedHeader } from "./encrypted-header.ts";
