import { Badge, Button, Code, Stack, Text } from "@mantine/core";
import type { AdministeredBanData } from "@sallyport/client/admin";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { Time } from "../language/time.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { NewBan } from "./new-ban.tsx";

const stateColors = { planned: "yellow", inForce: "red", over: "gray" } as const;

export function BansPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const queries = useQueryClient();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const subjectOf = ({ user, userId, deviceId, address }: AdministeredBanData) =>
    [user ?? userId, deviceId, address].filter((each) => each !== null).join(" · ");
  const lifting = (ban: AdministeredBanData): ConfirmedAct => ({
    title: texts.bans.remove(subjectOf(ban)),
    consequences: texts.bans.removeHelp,
    confirm: texts.bans.removeConfirm,
    act: async () => {
      await connection.administer((admin) => admin.bans.remove(ban.id));
      await queries.invalidateQueries({ queryKey: ["bans"] });
      showSuccess(texts.bans.removed(subjectOf(ban)));
    },
  });
  const columns = [
    {
      title: texts.bans.subject,
      cell: ({ user, userId, deviceId, address }: AdministeredBanData) => (
        <Stack gap={0}>
          {userId !== null && (
            <Text size="sm" fw={500}>
              {visibleText(user ?? userId)}
            </Text>
          )}
          {deviceId !== null && <Code w="fit-content">{visibleText(deviceId)}</Code>}
          {address !== null && <Code w="fit-content">{address}</Code>}
        </Stack>
      ),
    },
    { title: texts.bans.reason, cell: ({ reason }: AdministeredBanData) => reason },
    {
      title: texts.common.status,
      cell: ({ state }: AdministeredBanData) => (
        <Badge variant="light" tt="none" color={stateColors[state]}>
          {texts.bans.states[state]}
        </Badge>
      ),
    },
    { title: texts.bans.from, cell: ({ from }: AdministeredBanData) => <Time value={from} /> },
    { title: texts.bans.until, cell: ({ until }: AdministeredBanData) => <Time value={until} /> },
  ];
  return (
    <>
      <ListPage
        title={texts.bans.title}
        help={texts.bans.help}
        queryKey={["bans"]}
        load={({ after, limit, signal }) => connection.administer((admin) => admin.bans.list({ after, limit, signal }))}
        keyOf={({ id }) => id}
        columns={columns}
        empty={texts.bans.empty}
        actions={mayChange && <NewBan />}
        rowActions={
          mayChange
            ? (ban) => (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={texts.bans.remove(subjectOf(ban))}
                  onClick={() => setConfirmed(lifting(ban))}
                >
                  {texts.bans.removeConfirm}
                </Button>
              )
            : undefined
        }
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
