import { Badge, Button, Group, Paper, Stack, Text, Textarea } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import type { MaintenanceData, MaintenanceRequestData } from "@sallyport/client/admin";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Time } from "../language/time.tsx";
import { ChangesGuard } from "../page-parts/changes-guard.tsx";
import { ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { Facts } from "../page-parts/facts.tsx";
import { LoadedPage, SaveFailure } from "../page-parts/form-parts.tsx";
import { showSuccess } from "../notices/notices.tsx";

const queryKey = ["maintenance"];

export function MaintenancePage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => connection.administer((admin) => admin.maintenance.get({ signal })),
  });
  return (
    <LoadedPage title={texts.maintenance.title} help={texts.maintenance.help} height={220} query={query}>
      {(current) => (mayChange ? <MaintenanceForm current={current} /> : <MaintenanceFacts current={current} />)}
    </LoadedPage>
  );
}

function MaintenanceFacts({ current: { active, message, endsAt } }: { readonly current: MaintenanceData }) {
  const texts = useTexts();
  return (
    <Facts
      facts={[
        [texts.common.status, active ? texts.maintenance.isActive : texts.maintenance.isOpen],
        [texts.maintenance.message, message],
        [texts.maintenance.endsAt, endsAt !== null && <Time value={endsAt} />],
      ]}
    />
  );
}

interface Notice {
  readonly message: string;
  readonly endsAt: string | null;
}

function MaintenanceForm({ current }: { readonly current: MaintenanceData }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const [edits, setEdits] = useState<Partial<Notice>>({});
  const [isBeginning, setBeginning] = useState(false);
  const notice: Notice = { message: current.message ?? "", endsAt: current.endsAt, ...edits };
  const isChanged = Object.keys(edits).length > 0;
  const set = async (active: boolean): Promise<void> => {
    const { message, endsAt } = notice;
    const request: MaintenanceRequestData = active
      ? { active, message: message.trim() === "" ? null : message.trim(), endsAt }
      : { active };
    // The version of the state that the page shows.
    const changed = await connection.administer((admin) => admin.maintenance.set(request, { ifMatch: current }));
    queries.setQueryData(queryKey, changed);
    setEdits({});
    showSuccess(active ? texts.maintenance.isActive : texts.maintenance.hasEnded);
  };
  const { mutate, isPending, error } = useMutation({ mutationFn: set });
  return (
    <Paper withBorder p="lg" bg="var(--console-surface)">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (current.active) mutate(true);
          else setBeginning(true);
        }}
      >
        <Stack maw={560}>
          <Group>
            <Badge variant="light" tt="none" size="lg" color={current.active ? "red" : "green"}>
              {current.active ? texts.maintenance.isActive : texts.maintenance.isOpen}
            </Badge>
            {current.active && current.endsAt !== null && (
              <>
                <Text size="sm">{texts.maintenance.until}</Text>
                <Time value={current.endsAt} />
              </>
            )}
          </Group>
          <Textarea
            label={texts.maintenance.message}
            description={texts.maintenance.messageHelp}
            maxLength={500}
            autosize
            minRows={2}
            value={notice.message}
            onChange={({ currentTarget }) =>
              setEdits({ ...edits, message: currentTarget.value.replaceAll(/[\r\n]+/g, " ") })
            }
          />
          <DateTimePicker
            label={texts.maintenance.endsAt}
            description={texts.maintenance.endsAtHelp}
            placeholder={texts.bans.noEnd}
            clearable
            value={notice.endsAt === null ? null : new Date(notice.endsAt)}
            onChange={(value) => setEdits({ ...edits, endsAt: value === null ? null : new Date(value).toISOString() })}
          />
          <SaveFailure error={error} onReload={() => void queries.invalidateQueries({ queryKey })} />
          <Group>
            {current.active ? (
              <>
                <Button color="green" loading={isPending} onClick={() => mutate(false)}>
                  {texts.maintenance.end}
                </Button>
                <Button type="submit" variant="default" loading={isPending} disabled={!isChanged}>
                  {texts.common.save}
                </Button>
              </>
            ) : (
              <Button type="submit" color="red">
                {texts.maintenance.begin}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <ChangesGuard isChanged={isChanged} />
      <ConfirmDialog
        confirmed={
          isBeginning
            ? {
                title: texts.maintenance.begin,
                consequences: texts.maintenance.beginHelp,
                confirm: texts.maintenance.begin,
                act: () => set(true),
              }
            : null
        }
        onClose={() => setBeginning(false)}
      />
    </Paper>
  );
}
