import { localStorageColorSchemeManager, MantineProvider, MantineThemeProvider } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { type Query, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { SallyportError } from "@sallyport/client";
import { Connection, type ConnectionState } from "./connection/connection.ts";
import {
  ConnectionContext,
  mayShow,
  offersOf,
  useConnection,
  useConnectionState,
} from "./connection/connection-context.tsx";
import { type LinkTickets, onTickets } from "./connection/link-tickets.ts";
import { LogInPage } from "./connection/log-in-page.tsx";
import { Questions } from "./connection/questions.tsx";
import { loadPageConfig, type PageConfig } from "./connection/page-config.ts";
import { eraseDrafts } from "./data/form/drafts.ts";
import { LanguageProvider, useTexts } from "./language/language.tsx";
import { showNotice, showSuccess } from "./notices/notices.tsx";
import { createConsoleRouter, loadAllPages } from "./router.tsx";
import { ServerUnreachable, Starting } from "./shell/starting.tsx";
import { theme } from "./theme/theme.ts";

const schemes = localStorageColorSchemeManager({ key: "sallyport-console-color-scheme" });

/** A refusal does not change by itself. What passes is asked again, twice. */
const isPassing = (error: Error): boolean => !(error instanceof SallyportError) || error.httpStatus >= 500;

/** Results keep their identity, since the client knows the version of a resource by its object. */
function createQueryClient(): QueryClient {
  const retry = (count: number, error: Error) => count < 2 && isPassing(error);
  return new QueryClient({
    defaultOptions: {
      queries: { retry, staleTime: 5_000, refetchOnWindowFocus: false, structuralSharing: false },
      mutations: { retry: false },
    },
  });
}

interface PageProps {
  /** Of the address with which the page was opened. */
  readonly tickets: LinkTickets | null;
}

export function Page({ tickets }: PageProps) {
  return (
    <LanguageProvider>
      <MantineProvider
        theme={theme}
        colorSchemeManager={schemes}
        defaultColorScheme="auto"
        withGlobalClasses={false}
        withCssVariables={false}
      >
        <Loaded tickets={tickets} />
      </MantineProvider>
    </LanguageProvider>
  );
}

/** Milliseconds until the next attempt to reach the server. */
const retryPause = 5_000;

/** Loads the configuration of the page, which everything below needs. */
function Loaded({ tickets }: PageProps) {
  const [config, setConfig] = useState<PageConfig | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const load = useCallback(() => {
    void loadPageConfig().then((loaded) => {
      setFailure(null);
      setConfig(loaded);
    }, setFailure);
  }, []);
  useEffect(load, [load]);
  useEffect(() => {
    if (failure === null) return undefined;
    const timer = setTimeout(load, retryPause);
    return () => clearTimeout(timer);
  }, [failure, load]);
  if (failure !== null) return <ServerUnreachable error={failure} onRetry={load} />;
  return config === null ? <Starting /> : <Connected config={config} tickets={tickets} />;
}

/** Without tickets, another tab can give its log-in. */
function connect(config: PageConfig, tickets: LinkTickets | null) {
  const connection = new Connection(config);
  if (tickets === null) connection.askTabs();
  else connection.receive(tickets);
  return { connection, config };
}

function Connected({ config, tickets }: { readonly config: PageConfig } & PageProps) {
  const [connected] = useState(() => connect(config, tickets));
  return (
    <ConnectionContext value={connected}>
      <Session />
    </ConnectionContext>
  );
}

/** The log-in, or the application of the person. Caches are those of one log-in. */
function Session() {
  const texts = useTexts();
  const connection = useConnection();
  const { clients } = useConnectionState();
  const person = useRef<typeof clients>(null);
  useEffect(() => {
    // A log-out in any tab. A lost session asks for a log-in in place, and keeps the drafts.
    if (clients === null && person.current !== null) {
      notifications.clean();
      void eraseDrafts(person.current).catch(() => {});
    }
    person.current = clients;
  }, [clients]);
  useEffect(
    () =>
      onTickets((tickets) => {
        connection.receive(tickets);
        const loggedIn = connection.state().clients;
        if (loggedIn !== null && tickets.ticket !== null) showNotice(texts.tabs.link(loggedIn.user));
      }),
    [connection, texts],
  );
  useEffect(
    () =>
      connection.onHandover((handover) => {
        if (handover === "given") showNotice(texts.tabs.given);
        else showSuccess(texts.tabs.taken);
      }),
    [connection, texts],
  );
  return clients === null ? <LogInPage /> : <Application key={clients.userId} />;
}

/** The notifications, whose close buttons have a name in the language of the page. */
function Notices() {
  const texts = useTexts();
  const named = useMemo(() => {
    const closeButtonProps = { "aria-label": texts.common.close };
    return { components: { Notification: { defaultProps: { closeButtonProps } } } };
  }, [texts]);
  return (
    <MantineThemeProvider theme={named} inherit>
      <Notifications position="bottom-right" />
    </MantineThemeProvider>
  );
}

const hasFailed = ({ state }: Query): boolean => state.status === "error";

/** Milliseconds until the other pages are loaded. */
const patience = 3_000;

/**
 * A log-in begins on the page of the address, which may be that of the person before. If the rights do not include it, on the
 * overview. A tab that takes its log-in was opened with this address.
 */
function startRouter({ rights, isTaken }: ConnectionState) {
  const router = createConsoleRouter();
  const routes = router.matchRoutes(router.latestLocation);
  if (!isTaken && !mayShow(routes, offersOf(rights))) router.history.replace("/");
  return router;
}

function Application() {
  const connection = useConnection();
  const [queries] = useState(createQueryClient);
  const [router] = useState(() => startRouter(connection.state()));
  useEffect(
    () => connection.onRecovery(() => void queries.refetchQueries({ type: "active", predicate: hasFailed })),
    [connection, queries],
  );
  useEffect(() => {
    const timer = setTimeout(() => void loadAllPages(router), patience);
    return () => clearTimeout(timer);
  }, [router]);
  return (
    <QueryClientProvider client={queries}>
      <Notices />
      <RouterProvider router={router} />
      <Questions />
    </QueryClientProvider>
  );
}
