import type { ClassStructure, ModelStructure } from "@sallyport/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Clients, Connection, ConnectionState, Rights } from "./connection.ts";
import type { PageConfig } from "./page-config.ts";

interface Connected {
  readonly connection: Connection;
  readonly config: PageConfig;
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

/** What the person may do in the administration. The server decides; pages offer nothing that it would refuse. */
export interface Offers {
  readonly mayChange: boolean;
  readonly mayView: boolean;
  readonly mayAudit: boolean;
}

export function offersOf(rights: Rights): Offers {
  const mayChange = rights === "all";
  return { mayChange, mayView: mayChange || rights === "view", mayAudit: mayChange || rights === "audit" };
}

type RoutesWithNeeds = readonly { readonly staticData: { readonly needs?: keyof Offers } }[];

/** Whether the person may see the page of these routes. */
export const mayShow = (routes: RoutesWithNeeds, offers: Offers): boolean =>
  routes.every(({ staticData: { needs } }) => needs === undefined || offers[needs]);

export interface Person extends Offers, Pick<Clients, "user" | "userId" | "databaseName"> {
  readonly rights: Rights;
  readonly isAdministrator: boolean;
}

/** The person. Only below the shell, which exists after a log-in. */
export function usePerson(): Person {
  const { clients, rights } = useConnectionState();
  if (clients === null) throw new Error("There is no log-in.");
  const { user, userId, databaseName } = clients;
  return { user, userId, databaseName, rights, isAdministrator: rights !== null, ...offersOf(rights) };
}

/** Milliseconds between looks at indexes that the server builds. */
const indexInterval = 2_000;

const isBuilding = ({ classes }: ModelStructure): boolean =>
  classes.some(({ attributes }) => attributes.some(({ indexState }) => indexState === "building"));

function useStructure() {
  const connection = useConnection();
  return queryOptions({
    queryKey: ["classes"],
    queryFn: ({ signal }) => connection.work((data) => data.getStructure({ signal })),
    staleTime: 60_000,
  });
}

/** The classes that the person can read, with their attributes. */
export const useClasses = () => useQuery({ ...useStructure(), select: ({ classes }) => classes });

/** The order in which a person looks for a class: its own ones before those that are built in, each by name. */
export const ownFirst = (classes: readonly ClassStructure[]): readonly ClassStructure[] =>
  classes.toSorted((one, other) => Number(one.builtIn) - Number(other.builtIn) || one.name.localeCompare(other.name));

/** All classes as the server returned them, for `ifMatch`. Follows the progress of indexes. */
export const useModel = () =>
  useQuery({
    ...useStructure(),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => data !== undefined && isBuilding(data) && indexInterval,
  });
