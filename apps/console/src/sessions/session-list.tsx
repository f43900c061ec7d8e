import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import type { AdministeredSessionData } from "@sallyport/client/admin";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { useByteText } from "../language/byte-text.ts";
import { visibleText } from "../language/visible-text.ts";
import { Time } from "../language/time.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { List } from "../page-parts/list-page.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { TextLink } from "../shell/links.tsx";

/** What the listed sessions have in common. `undefined`: nothing. */
export interface SessionConditions {
  /** Id of a user. */
  readonly user?: string | undefined;
  readonly device?: string | undefined;
  /** App name. */
  readonly app?: string | undefined;
}

interface SessionListProps extends SessionConditions {
  readonly conditions?: React.ReactNode;
}

/** The live sessions, with a button that ends one. */
export function SessionList({ user: userId, device, app, conditions }: SessionListProps) {
  const texts = useTexts();
  const bytesOf = useByteText();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const queries = useQueryClient();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const ending = ({ id, user }: AdministeredSessionData): ConfirmedAct => ({
    title: texts.sessions.end(user),
    consequences: texts.sessions.endHelp,
    confirm: texts.sessions.endConfirm,
    act: async () => {
      await connection.administer((admin) => admin.sessions.end(id));
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      showSuccess(texts.sessions.ended(1));
    },
  });
  const columns = [
    {
      title: texts.sessions.user,
      cell: ({ user, mode }: AdministeredSessionData) => (
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={500}>
            {visibleText(user)}
          </Text>
          <Badge variant="light" color="gray" tt="none" flex="none">
            {texts.sessions.modes[mode]}
          </Badge>
        </Group>
      ),
    },
    {
      title: texts.sessions.app,
      cell: ({ appKey, appNames, reservedNames }: AdministeredSessionData) => (
        <Stack gap={0}>
          <Text size="sm">{appKey}</Text>
          <Text size="xs" c="dimmed">
            {visibleText([...new Set([...appNames, ...reservedNames])].join(", "))}
          </Text>
        </Stack>
      ),
    },
    {
      title: texts.sessions.address,
      cell: ({ address, deviceId }: AdministeredSessionData) => (
        <Stack gap={0}>
          <Text size="sm">{address ?? texts.common.none}</Text>
          {deviceId !== null && (
            <TextLink to="/sessions" search={{ device: deviceId } as never} size="xs">
              {visibleText(deviceId)}
            </TextLink>
          )}
        </Stack>
      ),
    },
    { title: texts.sessions.since, cell: ({ since }: AdministeredSessionData) => <Time value={since} /> },
    { title: texts.sessions.lastSeen, cell: ({ lastSeen }: AdministeredSessionData) => <Time value={lastSeen} /> },
    {
      title: texts.sessions.bytes,
      cell: ({ bytes: { received, sent } }: AdministeredSessionData) => (
        <Text size="sm">{texts.sessions.traffic(bytesOf(received), bytesOf(sent))}</Text>
      ),
    },
    { title: texts.sessions.expires, cell: ({ expiresAt }: AdministeredSessionData) => <Time value={expiresAt} /> },
  ];
  return (
    <>
      <List
        title={texts.sessions.title}
        queryKey={["sessions", userId ?? "", device ?? "", app ?? ""]}
        load={({ after, limit, signal }) =>
          connection.administer((admin) => admin.sessions.list({ after, limit, signal, user: userId, device, app }))
        }
        keyOf={({ id }) => id}
        columns={columns}
        empty={texts.sessions.empty}
        conditions={conditions}
        rowActions={
          mayChange
            ? (session) => (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={texts.sessions.end(session.user)}
                  onClick={() => setConfirmed(ending(session))}
                >
                  {texts.sessions.endConfirm}
                </Button>
              )
            : undefined
        }
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
