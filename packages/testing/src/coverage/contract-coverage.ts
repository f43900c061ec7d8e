import { catalogue } from "@sallyport/storage/errors";
import { administrationRoutes, contractRoutes } from "@sallyport/server/testing";
import { logInModes } from "../modes.ts";
import type { Exercise } from "./exercises.ts";

/** A route of the contract, and the codes that it declares. */
export interface ContractRoute {
  readonly method: string;
  /** Pattern of the path. */
  readonly path: string;
  readonly needsSession: boolean;
  readonly codes: readonly number[];
}

/** The part of a whole that was exercised. */
export interface Part<T> {
  readonly exercised: readonly T[];
  readonly missing: readonly T[];
  /** 0 to 100, rounded down. */
  readonly percent: number;
}

/** The part of the contract that requests have exercised. A breaking change increments `version`. */
export interface ContractCoverage {
  readonly format: "sallyport-coverage";
  readonly version: 1;
  /** Routes as method and path. */
  readonly routes: Part<string>;
  /** Codes of the catalogue. */
  readonly codes: Part<number>;
  /** Pairs of a route and a code that it declares, such as `GET /v1/object/{id} 304`. Successes have the code 0. */
  readonly pairs: Part<string>;
  /** Routes of administration as method and path. */
  readonly administration: Part<string>;
  /** Log-in modes with a successful request; `null` if the source does not tell. */
  readonly modes: Part<string> | null;
  /** Routes that need a session and were never called without one; `null` if the source does not tell. */
  readonly neverWithoutSession: readonly string[] | null;
}

/** Codes of a request without a valid session. */
const withoutSession = new Set([200, 202, 204]);

/** Compares exercises with the contract. Other routes do not count. */
export function contractCoverage(
  exercises: readonly Exercise[],
  routes: readonly ContractRoute[] = contractRoutes(),
  administration: readonly ContractRoute[] = administrationRoutes(),
): ContractCoverage {
  const nameOf = ({ method, path }: ContractRoute) => `${method} ${path}`;
  const administrationNames = administration.map(nameOf);
  const administered = exercises.filter(({ method, route }) => administrationNames.includes(`${method} ${route}`));
  const names = routes.map(nameOf);
  const routeNames = new Set(names);
  const ofContract = exercises.filter(({ method, route }) => routeNames.has(`${method} ${route}`));
  const called = new Set(ofContract.map(({ method, route }) => `${method} ${route}`));
  const codes = new Set([...ofContract, ...administered].map(({ code }) => code));
  const pairs = new Set(ofContract.map(({ method, route, code }) => `${method} ${route} ${code}`));
  const declared = routes.flatMap((route) => [0, ...route.codes].map((code) => `${nameOf(route)} ${code}`));
  const tells = ofContract.some(({ mode }) => mode !== undefined);
  const modes = new Set(ofContract.flatMap(({ mode, code }) => (code === 0 && mode ? [mode] : [])));
  const refused = new Set(
    ofContract.flatMap(({ method, route, code, mode }) =>
      mode === null || withoutSession.has(code) ? [`${method} ${route}`] : [],
    ),
  );
  const needing = routes.filter(({ needsSession }) => needsSession).map(nameOf);
  return {
    format: "sallyport-coverage",
    version: 1,
    routes: partOf(names, called),
    codes: partOf(
      catalogue.map(({ code }) => code),
      codes,
    ),
    pairs: partOf(declared, pairs),
    administration: partOf(administrationNames, new Set(administered.map(({ method, route }) => `${method} ${route}`))),
    modes: tells ? partOf<string>(logInModes, modes) : null,
    neverWithoutSession: tells ? needing.filter((name) => !refused.has(name)) : null,
  };
}

function partOf<T>(all: readonly T[], found: ReadonlySet<T>): Part<T> {
  const exercised = all.filter((each) => found.has(each));
  const percent = all.length === 0 ? 100 : Math.floor((100 * exercised.length) / all.length);
  return { exercised, missing: all.filter((each) => !found.has(each)), percent };
}
