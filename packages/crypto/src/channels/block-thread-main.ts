import { parentPort } from "node:worker_threads";
import type { BlockReply, BlockRequest } from "./block-messages.ts";
import { openBlocks } from "./open-blocks.ts";

// The thread in which private keys compute: the private operation of RSA cannot be had in Node's own pool without padding.

if (parentPort === null) throw new Error("this module runs as a worker thread");
const port = parentPort;
port.on("message", ({ bytes, keys }: BlockRequest) => port.postMessage(replyTo(bytes, keys), []));

function replyTo(bytes: BlockRequest["bytes"], keys: BlockRequest["keys"]): BlockReply {
  try {
    return { opened: openBlocks(bytes, keys) };
  } catch (error) {
    return { failed: String(error) };
  }
}
