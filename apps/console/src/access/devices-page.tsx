import { Badge, Button, Code, Text } from "@mantine/core";
import type { AdministeredDeviceData } from "@sallyport/client/admin";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { Time } from "../language/time.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { NewDevice } from "./new-device.tsx";

export function DevicesPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { user } = useSearch({ strict: false }) as { readonly user?: string };
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const removing = ({ id, deviceId }: AdministeredDeviceData): ConfirmedAct => ({
    title: texts.devices.remove(deviceId),
    consequences: texts.devices.removeHelp,
    confirm: texts.devices.removeConfirm,
    act: async () => {
      const ended = await connection.administer((admin) => admin.devices.forget(id));
      await queries.invalidateQueries({ queryKey: ["devices"] });
      showSuccess(texts.sessions.ended(ended));
    },
  });
  const columns = [
    {
      title: texts.devices.device,
      cell: ({ deviceId }: AdministeredDeviceData) => <Code>{visibleText(deviceId)}</Code>,
    },
    {
      title: texts.sessions.user,
      cell: ({ user: name, userId }: AdministeredDeviceData) => name ?? userId ?? texts.devices.allUsers,
    },
    {
      title: texts.common.status,
      cell: ({ registered }: AdministeredDeviceData) => (
        <Badge variant="light" tt="none" color={registered ? "green" : "gray"}>
          {registered ? texts.devices.registered : texts.devices.seen}
        </Badge>
      ),
    },
    { title: texts.devices.firstSeen, cell: ({ firstSeen }: AdministeredDeviceData) => <Time value={firstSeen} /> },
    { title: texts.devices.lastSeen, cell: ({ lastSeen }: AdministeredDeviceData) => <Time value={lastSeen} /> },
    {
      title: texts.devices.says,
      cell: ({ says }: AdministeredDeviceData) => (
        <Text size="xs" c="dimmed" maw={220} truncate>
          {visibleText(Object.values(says).join(" · "))}
        </Text>
      ),
    },
  ];
  return (
    <>
      <ListPage
        title={texts.devices.title}
        help={texts.devices.help}
        queryKey={["devices", user ?? ""]}
        load={({ after, limit, signal }) =>
          connection.administer((admin) => admin.devices.list({ after, limit, signal, user }))
        }
        keyOf={({ id }) => id}
        columns={columns}
        empty={texts.devices.empty}
        conditions={
          <UserPicker
            label={texts.devices.ofUser}
            value={user ?? null}
            onChange={(userId) => void navigate({ to: ".", search: { user: userId ?? undefined } as never })}
          />
        }
        actions={mayChange && <NewDevice />}
        rowActions={
          mayChange
            ? (device) => (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={texts.devices.remove(device.deviceId)}
                  onClick={() => setConfirmed(removing(device))}
                >
                  {texts.devices.removeConfirm}
                </Button>
              )
            : undefined
        }
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
