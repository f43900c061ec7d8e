import type { Digests } from "@sallyport/core";

/** The UUID (version 8) of an object of the demo: the same in every demo with this alias. */
export function demoUuid(digests: Digests, alias: string, className: string, index: number): string {
  const digits = digests.sha256(`demo/${alias}/${className}/${index}`);
  const variant = "89ab"[Number.parseInt(digits.slice(16, 17), 16) % 4] as string;
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ].join("-");
}
