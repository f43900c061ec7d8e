import type { ClassDefinition } from "@sallyport/client";
import { demoCredentials } from "@sallyport/server/testing";

/** A reference to an object, a user or a group of the content, by name. Made by `ref`. */
export interface ContentReference {
  readonly "~Ref": string;
}

/** The value of an attribute that refers to an object, a user or a group by name, alone or in an array. */
export function ref(name: string): ContentReference {
  return { "~Ref": name };
}

/** A class, as in a model file, with groups by name. Without `rights`, all users have all rights. */
export interface ClassContent extends ClassDefinition {
  readonly name: string;
}

export interface UserContent {
  readonly name: string;
  /** Default: the name. */
  readonly password?: string;
  /** The MD5 of a password, instead of a password: as of users of another service. Agents then need a password. */
  readonly passwordDigest?: string;
  /** Names of groups. Missing ones are created. */
  readonly groups?: readonly string[];
  readonly administrator?: boolean;
  readonly email?: string;
}

/** A user of `POST /v1/auth/df`, who acts as a database user. */
export interface CustomUserContent {
  readonly name: string;
  /** Default: the name. */
  readonly password?: string;
  /** The MD5 of a password, instead of a password: as of users of another service. Agents then need a password. */
  readonly passwordDigest?: string;
  /** Name of the database user. */
  readonly user: string;
  readonly email?: string;
}

export interface ObjectContent {
  /** For `ref` and `service.id`. */
  readonly name?: string;
  readonly className: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface AppContent {
  readonly name: string;
  /** Default: unlimited. */
  readonly seats?: number;
  readonly seatKind?: "concurrent" | "user" | "device";
  readonly secondFactor?: "off" | "optional" | "forced";
}

export interface AppKeyContent {
  readonly name: string;
  readonly key: string;
  /** App names that a log-in with this key can use. Default: all. */
  readonly appNames?: readonly string[];
  /** Origins of web pages. */
  readonly origins?: readonly string[];
  /** Where a log-in with a provider can return to. */
  readonly returnAddresses?: readonly string[];
}

/** The content of a database. */
export interface DatabaseContent {
  readonly classes?: readonly ClassContent[];
  readonly groups?: readonly string[];
  readonly users?: readonly UserContent[];
  readonly objects?: readonly ObjectContent[];
  /** TypeScript sources by macro name, or the path of a folder of sources. */
  readonly macros?: Readonly<Record<string, string>> | string;
  readonly customUsers?: readonly CustomUserContent[];
  /** Default: `test-app`. */
  readonly apps?: readonly AppContent[];
  /** Default: `test-app-key`. */
  readonly appKeys?: readonly AppKeyContent[];
}

const defaultApps: readonly AppContent[] = [{ name: "test-app" }];
const defaultAppKeys: readonly AppKeyContent[] = [
  { name: "test", key: "test-app-key", returnAddresses: ["http://localhost/callback"] },
];

/** Adds the app and the app key that every log-in needs. */
export function withDefaults(content: DatabaseContent | "demo"): DatabaseContent | "demo" {
  return content === "demo" ? content : { apps: defaultApps, appKeys: defaultAppKeys, ...content };
}

/** The means of a client to log in. */
export interface Access {
  readonly appKey: string;
  readonly appNames: readonly string[];
  readonly passwordOf: (user: string) => string;
  /** The name of a user on the server. */
  readonly nameOf: (user: string) => string;
  /** The secret of the user's second factor; `null` if it is unknown. */
  readonly secondFactorOf: (user: string) => string | null;
}

const noFactor = (): null => null;
const sameName = (user: string): string => user;

/** How to log in to a database with this content. */
export function accessTo(content: DatabaseContent | "demo"): Access {
  if (content === "demo")
    return {
      appKey: demoCredentials.appKey,
      appNames: [demoCredentials.apps[0].name],
      passwordOf: sameName,
      nameOf: sameName,
      secondFactorOf: noFactor,
    };
  const { users = [], customUsers = [], apps = [], appKeys = [] } = content;
  const passwords = new Map([...customUsers, ...users].map(({ name, password = name }) => [name, password]));
  const [first] = appKeys;
  const appNames = first?.appNames ?? apps.slice(0, 1).map(({ name }) => name);
  return {
    appKey: first?.key ?? "",
    appNames,
    passwordOf: (user) => passwords.get(user) ?? user,
    nameOf: sameName,
    secondFactorOf: noFactor,
  };
}
