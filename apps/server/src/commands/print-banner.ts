import { capabilityWords, type Storage } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import type { RunningServer } from "../composition/start-server.ts";
import { version } from "../composition/version.ts";
import {
  type Configuration,
  demoMacros,
  isOnServer,
  maskedUrl,
  type StorageConfiguration,
} from "../configuration/index.ts";
import { banner, terminalStyle } from "../demo/index.ts";

/** Tells whoever started the demo what there is and how to use it. */
export function printBanner(
  { applicationName, databases, server, docs, mail }: Configuration,
  { url, demoStates, imitatesProviders, databases: opened }: RunningServer,
): void {
  const address = (server.publicUrl ?? url).replace(/\/$/, "");
  const storage = opened.get(databases[0]?.alias ?? "")?.storage;
  process.stdout.write(
    banner({
      name: applicationName,
      version,
      databases: databases.map(({ alias, name, macros: { directory } }) => {
        const hasMacros = directory !== null && directory === demoMacros();
        return {
          alias,
          name,
          address: alias === "" ? address : `${address}/${alias}`,
          demo: demoStates.get(alias) ?? null,
          hasMacros,
        };
      }),
      hasDocs: docs.enabled,
      imitatesProviders,
      dataPlace: placeOf(databases[0]?.storage ?? null),
      mailFolder: mail.folder ?? null,
      capabilities: storage === undefined ? [] : whatMatters(storage),
      digests: new NodeDigests(),
      style: terminalStyle(process.stdout),
    }),
  );
}

/** What whoever tries it out will notice. */
function whatMatters({ capabilities }: Storage): string[] {
  const words = capabilityWords(capabilities);
  return (["durable", "severalProcesses"] as const).flatMap((name) => words.get(name) ?? []);
}

function placeOf(storage: StorageConfiguration | null): string {
  if (isOnServer(storage)) return maskedUrl(storage.url);
  if (storage?.engine === "module") return storage.module;
  return storage?.engine === "embedded" ? storage.dataDir : "memory";
}
