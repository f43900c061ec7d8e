import { randomBytes } from "node:crypto";
import type { RandomSource } from "@sallyport/core";

/** Identifiers from the operating system's secure source. */
export class NodeRandomSource implements RandomSource {
  secret(): string {
    return randomBytes(32).toString("base64url");
  }

  bytes(length: number): Uint8Array {
    return new Uint8Array(randomBytes(length));
  }
}
