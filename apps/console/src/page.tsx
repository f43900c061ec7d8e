import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { SallyportError } from "@sallyport/client";
import { Connection } from "./connection/connection.ts";
import { ConnectionContext, useConnectionState } from "./connection/connection-context.tsx";
import { LogInPage } from "./connection/log-in-page.tsx";
import { Questions } from "./connection/questions.tsx";
import { loadPageConfig, type PageConfig } from "./connection/page-config.ts";
import { eraseDrafts } from "./data/drafts.ts";
import { LanguageProvider } from "./language/language.tsx";
import { createConsoleRouter } from "./router.tsx";
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

export function Page({ ticket }: { readonly ticket: string | null }) {
  return (
    <LanguageProvider>
      <MantineProvider
        theme={theme}
        colorSchemeManager={schemes}
        defaultColorScheme="auto"
        withGlobalClasses={false}
        withCssVariables={false}
      >
        <Notifications position="bottom-right" />
        <Loaded ticket={ticket} />
      </MantineProvider>
    </LanguageProvider>
  );
}

/** Loads the configuration of the page, which everything below needs. */
function Loaded({ ticket }: { readonly ticket: string | null }) {
  const [config, setConfig] = useState<PageConfig | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const load = useCallback(() => {
    setFailure(null);
    void loadPageConfig().then(setConfig, setFailure);
  }, []);
  useEffect(load, [load]);
  if (failure !== null) return <ServerUnreachable error={failure} onRetry={load} />;
  return config === null ? <Starting /> : <Connected config={config} ticket={ticket} />;
}

/** Trades the ticket at once: it is valid for a few minutes, and a person may take longer to log in. */
function connect(config: PageConfig, ticket: string | null) {
  const connection = new Connection(config);
  return { connection, config, trade: ticket === null ? null : connection.tradeTicket(ticket) };
}

function Connected({ config, ticket }: { readonly config: PageConfig; readonly ticket: string | null }) {
  const [connected] = useState(() => connect(config, ticket));
  return (
    <ConnectionContext value={connected}>
      <Session />
    </ConnectionContext>
  );
}

/** The log-in, or the application of the person. Caches are those of one log-in. */
function Session() {
  const { clients } = useConnectionState();
  const person = useRef<typeof clients>(null);
  useEffect(() => {
    // A log-out in any tab. A lost session asks for a log-in in place, and keeps the drafts.
    if (clients === null && person.current !== null) void eraseDrafts(person.current).catch(() => {});
    person.current = clients;
  }, [clients]);
  return clients === null ? <LogInPage /> : <Application key={clients.userId} />;
}

function Application() {
  const [queries] = useState(createQueryClient);
  const [router] = useState(createConsoleRouter);
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Questions />
    </QueryClientProvider>
  );
}
