import { Button, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../lists/confirm-dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { SessionList } from "./session-list.tsx";

export function SessionsPage() {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { user } = useSearch({ strict: false }) as { readonly user?: string };
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const { data: chosen } = useQuery({
    queryKey: ["users", user],
    queryFn: ({ signal }) => connection.administer((admin) => admin.users.get(user ?? "", { signal })),
    enabled: user !== undefined,
  });
  const choose = (userId: string | null) => void navigate({ to: ".", search: { user: userId ?? undefined } as never });
  const ending = (userId: string, name: string): ConfirmedAct => ({
    title: texts.sessions.endAll(name),
    consequences: texts.sessions.endAllHelp,
    confirm: texts.sessions.endAllConfirm,
    act: async () => {
      const ended = await connection.administer((admin) => admin.sessions.endOfUser(userId));
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      showSuccess(texts.sessions.ended(ended));
    },
  });
  return (
    <Stack>
      <div>
        <Title order={1} size="h2">
          {texts.sessions.title}
        </Title>
        <Text c="dimmed" size="sm" maw={640}>
          {texts.sessions.help}
        </Text>
      </div>
      <SessionList
        userId={user ?? null}
        conditions={
          <>
            <UserPicker label={texts.sessions.ofUser} value={user ?? null} onChange={choose} />
            {chosen !== undefined && user !== undefined && (
              <Button color="red" variant="light" onClick={() => setConfirmed(ending(user, chosen.name))}>
                {texts.sessions.endAllConfirm}
              </Button>
            )}
          </>
        }
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </Stack>
  );
}
