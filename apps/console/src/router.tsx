import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import type { Offers } from "./connection/connection-context.tsx";
import { HomePage } from "./shell/home-page.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { PageFailure } from "./shell/page-failure.tsx";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({ getParentRoute: () => root, path: "/", component: HomePage });

/** Of the pages in the side bar, and what is below them. */
const administration = createRoute({
  getParentRoute: () => root,
  id: "administration",
  staticData: { needs: "mayView" },
});

const administrationRoutes = [
  createRoute({
    getParentRoute: () => administration,
    path: "/users",
    component: lazyRouteComponent(() => import("./accounts/users-page.tsx"), "UsersPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/users/$userId",
    component: lazyRouteComponent(() => import("./accounts/user-page.tsx"), "UserPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/groups",
    component: lazyRouteComponent(() => import("./accounts/groups-page.tsx"), "GroupsPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/sessions",
    component: lazyRouteComponent(() => import("./sessions/sessions-page.tsx"), "SessionsPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/app-keys",
    component: lazyRouteComponent(() => import("./access/app-keys-page.tsx"), "AppKeysPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/devices",
    component: lazyRouteComponent(() => import("./access/devices-page.tsx"), "DevicesPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/bans",
    component: lazyRouteComponent(() => import("./access/bans-page.tsx"), "BansPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/custom-users",
    component: lazyRouteComponent(() => import("./accounts/custom-users-page.tsx"), "CustomUsersPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/custom-users/$customUserId",
    component: lazyRouteComponent(() => import("./accounts/custom-user-page.tsx"), "CustomUserPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/second-factors",
    component: lazyRouteComponent(() => import("./accounts/second-factors-page.tsx"), "SecondFactorsPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/apps",
    component: lazyRouteComponent(() => import("./access/apps-page.tsx"), "AppsPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/app-rules",
    component: lazyRouteComponent(() => import("./access/app-rules-page.tsx"), "AppRulesPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/providers",
    component: lazyRouteComponent(() => import("./access/providers-page.tsx"), "ProvidersPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/limits",
    component: lazyRouteComponent(() => import("./operation/limits-page.tsx"), "LimitsPage"),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: "/maintenance",
    component: lazyRouteComponent(() => import("./operation/maintenance-page.tsx"), "MaintenancePage"),
  }),
] as const;

const modelRoute = createRoute({
  getParentRoute: () => root,
  path: "/model",
  staticData: { needs: "mayChange" },
  component: lazyRouteComponent(() => import("./model/model-pages.tsx"), "ModelPages"),
});

/** Views of the model, below the frame that has their edits. */
const modelViews = [
  createRoute({
    getParentRoute: () => modelRoute,
    path: "/",
    component: lazyRouteComponent(() => import("./model/class-list.tsx"), "ClassList"),
  }),
  createRoute({
    getParentRoute: () => modelRoute,
    path: "/classes/$className",
    component: lazyRouteComponent(() => import("./model/class-form.tsx"), "ClassForm"),
  }),
  createRoute({
    getParentRoute: () => modelRoute,
    path: "/rights",
    component: lazyRouteComponent(() => import("./model/rights-matrix.tsx"), "RightsMatrix"),
  }),
  createRoute({
    getParentRoute: () => modelRoute,
    path: "/diagram",
    component: lazyRouteComponent(() => import("./model/diagram.tsx"), "ModelDiagram"),
  }),
] as const;

const refusalRoute = createRoute({
  getParentRoute: () => root,
  path: "/refusals/$requestId",
  staticData: { needs: "mayAudit" },
  component: lazyRouteComponent(() => import("./notices/refusal-page.tsx"), "RefusalPage"),
});

const firstSteps = createRoute({
  getParentRoute: () => root,
  path: "/first-steps",
  staticData: { needs: "mayChange" },
  component: lazyRouteComponent(() => import("./set-up/first-steps-page.tsx"), "FirstStepsPage"),
});

const classRoute = createRoute({
  getParentRoute: () => root,
  path: "/classes/$className",
  component: lazyRouteComponent(() => import("./data/class-page.tsx"), "ClassPage"),
});

const recycleBinRoute = createRoute({
  getParentRoute: () => root,
  path: "/recycle-bin",
  component: lazyRouteComponent(() => import("./data/recycle-bin-page.tsx"), "RecycleBinPage"),
});

const objectRoute = createRoute({
  getParentRoute: () => root,
  path: "/classes/$className/$objectId",
  component: lazyRouteComponent(() => import("./data/object-page.tsx"), "ObjectPage"),
});

/** Parameters of the address are texts. The usual parser makes numbers of ids, which it rounds. */
export const searchParser = {
  parseSearch: (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Record<string, unknown>): string => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const parameters = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
    return parameters.size === 0 ? "" : `?${parameters}`;
  },
};

/** The state of a page stands in the fragment: no value of it reaches a log of requests, and one file serves every path. */
export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([
      home,
      administration.addChildren(administrationRoutes),
      modelRoute.addChildren(modelViews),
      refusalRoute,
      firstSteps,
      classRoute,
      objectRoute,
      recycleBinRoute,
    ]),
    history: createHashHistory(),
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
    ...searchParser,
  });
}

/** Loads the files of all pages, so that an open tab has them after an update of the server. */
export async function loadAllPages(router: ReturnType<typeof createConsoleRouter>): Promise<void> {
  await Promise.allSettled(Object.values(router.routesById).map((route) => router.loadRouteChunk(route)));
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
  interface StaticDataRouteOption {
    /** What the rights of the person must include, or another page is shown. */
    readonly needs?: keyof Offers;
  }
}
