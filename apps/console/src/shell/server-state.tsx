import { Alert, Button, Group, Loader, Text } from "@mantine/core";
import { SallyportError } from "@sallyport/client";
import { IconPlugConnectedX, IconRefresh } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import type { Texts } from "../language/en.ts";
import { useTexts } from "../language/language.tsx";
import { failureParts } from "../notices/notices.tsx";
import classes from "./shell.module.css";

/** Says above the page that the server does not answer for now, or that it was updated. The page stays as it is. */
export function ServerState() {
  const texts = useTexts();
  const { server } = useConnection();
  const { trouble, hasChanged } = useSyncExternalStore(server.subscribe, server.state);
  return (
    <div role="status" className={classes["state"] ?? ""}>
      {trouble !== null && (
        <Alert color="orange" icon={<IconPlugConnectedX size={18} />} title={titleOf(trouble, texts)}>
          <Group justify="space-between">
            <Group gap="xs">
              <Loader size="xs" aria-hidden />
              <Text size="sm">{failureParts(trouble).detail ?? texts.states.waiting}</Text>
            </Group>
            <Button size="xs" variant="default" onClick={() => void server.retry()}>
              {texts.states.tryNow}
            </Button>
          </Group>
        </Alert>
      )}
      {hasChanged && (
        <Alert color="blue" icon={<IconRefresh size={18} />} title={texts.states.changed}>
          <Group justify="space-between">
            <Text size="sm">{texts.states.changedHelp}</Text>
            <Button size="xs" variant="default" onClick={() => location.reload()}>
              {texts.states.reload}
            </Button>
          </Group>
        </Alert>
      )}
    </div>
  );
}

function titleOf(trouble: unknown, texts: Texts): string {
  switch (trouble instanceof SallyportError ? trouble.code : null) {
    case 607:
      return texts.states.overloaded;
    case 706:
      return texts.states.unavailable;
    case 800:
      return texts.states.tooMany;
    default:
      return texts.states.unreachable;
  }
}
