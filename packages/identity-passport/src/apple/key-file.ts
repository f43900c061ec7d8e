import { createPrivateKey, type KeyObject } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { misconfigured } from "../http/provider-failure.ts";

const longestFile = 16_384;

/** A key of the curve P-256 from a file of the operator, which nobody else on the machine may read. 608 if it is not that. */
export function keyFromFile(path: string): KeyObject {
  const key = parsed(contentOf(path));
  if (key?.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1")
    throw misconfigured("the file at keyPath holds no key as Apple gives them out");
  return key;
}

function contentOf(path: string): string {
  if (!isAbsolute(path)) throw misconfigured("keyPath is no absolute path");
  let file: number;
  try {
    // Nothing is waited for: the path could lead to a pipe.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    throw misconfigured("the file at keyPath is not there, or not readable");
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > longestFile) throw misconfigured("keyPath leads to no key file");
    // Windows has no such permissions.
    if (process.platform !== "win32" && (stat.mode & constants.S_IROTH) !== 0)
      throw misconfigured("the file at keyPath is readable for everybody on the machine");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function parsed(text: string): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    return null;
  }
}
