import { ActionIcon, Anchor, Button, Code, CopyButton, Group, Stack, Text, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { SallyportError } from "@sallyport/client";
import { IconAlertTriangle, IconCheck, IconCopy, IconInfoCircle } from "@tabler/icons-react";
import { type MouseEvent, useContext, useState } from "react";
import { ConnectionContext } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { Explanation } from "./explanation.tsx";

/** What a failure says: the text of the server or of the browser, and what the operator asks for. */
export function failureParts(error: unknown) {
  if (error instanceof SallyportError) {
    const { code, message, notice, debugMessage, requestId, retryAfter } = error;
    return { code, text: message.replace(/^\d+ /, ""), detail: notice ?? debugMessage, requestId, retryAfter };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { code: undefined, text, detail: undefined, requestId: undefined, retryAfter: undefined };
}

/** The whole failure as text, to be copied. */
export function failureText(error: unknown): string {
  const { code, text, detail, requestId } = failureParts(error);
  return [code === undefined ? text : `${code} ${text}`, detail, requestId]
    .filter((each) => each !== undefined)
    .join("\n");
}

/** Text, code and request id of a failure, with a button that copies them. */
export function FailureDetails({ error }: { readonly error: unknown }) {
  const texts = useTexts();
  const { code, text, detail, requestId, retryAfter } = failureParts(error);
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" fw={500}>
          {text}
        </Text>
        <CopyButton value={failureText(error)}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? texts.notices.copied : texts.notices.copy}>
              <ActionIcon variant="subtle" color="gray" size="sm" aria-label={texts.notices.copy} onClick={copy}>
                {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      </Group>
      {detail !== undefined && <Text size="sm">{visibleText(detail)}</Text>}
      {retryAfter !== undefined && <Text size="sm">{texts.notices.retryAfter(retryAfter)}</Text>}
      {code !== undefined && (
        <Text size="xs" c="dimmed">
          {texts.notices.code(code)}
          {requestId !== undefined && (
            <>
              {" · "}
              {texts.notices.request} <Code fz="xs">{requestId}</Code>
            </>
          )}
        </Text>
      )}
      {requestId !== undefined && <Why requestId={requestId} />}
    </Stack>
  );
}

/** Administrators can read why the server refused a request, in place or on a page of its own. */
function Why({ requestId }: { readonly requestId: string }) {
  const texts = useTexts();
  const connected = useContext(ConnectionContext);
  const [isOpen, setOpen] = useState(false);
  const rights = connected?.connection.state().rights;
  if (rights !== "all" && rights !== "audit") return null;
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setOpen(true);
  };
  return isOpen ? (
    <Explanation requestId={requestId} />
  ) : (
    <Anchor size="sm" href={`#/refusals/${requestId}`} onClick={open}>
      {texts.notices.why}
    </Anchor>
  );
}

/** Shows a failure until it is closed. */
export function showFailure(title: string, error: unknown): void {
  notifications.show({
    title,
    message: <FailureDetails error={error} />,
    color: "red",
    icon: <IconAlertTriangle size={18} />,
    autoClose: false,
    withBorder: true,
  });
}

/** Tells what the person must know, until it is closed. */
export function showNotice(message: string): void {
  notifications.show({
    message,
    color: "blue",
    icon: <IconInfoCircle size={18} />,
    autoClose: false,
    withBorder: true,
  });
}

interface OfferedAct {
  /** On the button. */
  readonly name: string;
  act(): Promise<unknown>;
  /** Title of the failure. */
  readonly failure: string;
}

/** Confirms an act. It disappears, since the page shows the result; one that offers a further act stays longer. */
export function showSuccess(message: string, offered?: OfferedAct): void {
  const id = notifications.show({
    message: offered === undefined ? message : <Offer message={message} offered={offered} onTaken={() => hide()} />,
    color: "green",
    icon: <IconCheck size={18} />,
    autoClose: offered === undefined ? 4_000 : 20_000,
    withBorder: true,
  });
  const hide = () => notifications.hide(id);
}

function Offer({ message, offered, onTaken }: { message: string; offered: OfferedAct; onTaken(): void }) {
  const { name, act, failure } = offered;
  const take = () => {
    onTaken();
    act().catch((error: unknown) => showFailure(failure, error));
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button size="compact-sm" variant="light" flex="none" onClick={take}>
        {name}
      </Button>
    </Group>
  );
}
