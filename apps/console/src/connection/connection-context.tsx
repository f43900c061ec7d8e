import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Clients, Connection, ConnectionState } from "./connection.ts";
import type { PageConfig } from "./page-config.ts";

interface Connected {
  readonly connection: Connection;
  readonly config: PageConfig;
  /** The trade of the ticket in the address of the page. `null` without one. */
  readonly trade: Promise<void> | null;
}

export const ConnectionContext = createContext<Connected | null>(null);

export function useConnected(): Connected {
  const connected = useContext(ConnectionContext);
  if (connected === null) throw new Error("There is no ConnectionContext above.");
  return connected;
}

export const useConnection = (): Connection => useConnected().connection;

export const usePageConfig = (): PageConfig => useConnected().config;

export function useConnectionState(): ConnectionState {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, connection.state);
}

/** The person. Only below the shell, which exists after a log-in. */
export function usePerson(): Pick<Clients, "user" | "userId" | "databaseName"> & { readonly isAdministrator: boolean } {
  const { clients } = useConnectionState();
  if (clients === null) throw new Error("There is no log-in.");
  const { user, userId, databaseName, admin } = clients;
  return { user, userId, databaseName, isAdministrator: admin !== null };
}

/** The classes that the person can read, with their attributes. */
export function useClasses() {
  const connection = useConnection();
  return useQuery({
    queryKey: ["classes"],
    queryFn: ({ signal }) => connection.work(async (data) => (await data.getStructure({ signal })).classes),
    staleTime: 60_000,
  });
}
