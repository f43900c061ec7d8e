import type { ProviderData } from "@sallyport/core";
import { acceptedTexts, idRule } from "../data/accepted-texts.ts";
import { misconfigured } from "../http/provider-failure.ts";
import { keyFromFile } from "./key-file.ts";

const appleId = { pattern: /^[\dA-Za-z]{1,32}$/ };

/** Additional data of Apple's kind, their key file being there. The address loses the slash at its end. */
export function acceptAppleData(data: unknown, isImitated: boolean): ProviderData {
  const accepted = acceptedTexts(data, {
    clientId: idRule,
    serverAddress: { pattern: /^\S{1,1024}$/ },
    teamId: appleId,
    keyIdentifier: appleId,
    // oxlint-disable-next-line no-control-regex
    keyPath: { pattern: /^[^\u0000-\u001F]{1,4096}$/ },
  });
  keyFromFile(accepted.keyPath);
  return { ...accepted, serverAddress: addressOf(accepted.serverAddress, isImitated) };
}

function addressOf(text: string, isImitated: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (url === null || !isPlain || !(url.protocol === "https:" || (isImitated && url.protocol === "http:"))) {
    throw misconfigured("serverAddress of the additional data is no https address");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
