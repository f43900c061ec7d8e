import { NumberInput, Select, Skeleton, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { AdministeredAppData } from "@sallyport/client/admin";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";

/** An app name to change, or a new one without a name. */
export interface EditedApp {
  readonly name: string | null;
}

interface AppDialogProps {
  /** `null` closes the dialog. */
  readonly edited: EditedApp | null;
  onClose(): void;
}

export function AppDialog({ edited, onClose }: AppDialogProps) {
  const texts = useTexts();
  return (
    <Dialog
      isOpen={edited !== null}
      title={edited?.name == null ? texts.apps.create : texts.apps.changeOf(edited.name)}
      onClose={onClose}
    >
      {edited !== null &&
        (edited.name === null ? (
          <AppForm app={null} onClose={onClose} />
        ) : (
          <LoadedApp name={edited.name} onClose={onClose} />
        ))}
    </Dialog>
  );
}

/** Reads the current state of the app name, whose version the change names. */
function LoadedApp({ name, onClose }: { readonly name: string; onClose(): void }) {
  const connection = useConnection();
  const { data, error } = useQuery({
    queryKey: ["apps", "one", name],
    queryFn: ({ signal }) => connection.administer((admin) => admin.apps.get(name, { signal })),
  });
  if (data !== undefined) return <AppForm app={data} onClose={onClose} />;
  return error === null ? <Skeleton height={200} /> : <FailureDetails error={error} />;
}

const firstValues = { seats: null, seatKind: "concurrent", secondFactor: "off" } as const;

function AppForm({ app, onClose }: { readonly app: AdministeredAppData | null; onClose(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { seats, seatKind, secondFactor } = app ?? firstValues;
  const form = useForm<{
    name: string;
    seats: number | "";
    seatKind: AdministeredAppData["seatKind"];
    secondFactor: AdministeredAppData["secondFactor"];
  }>({ initialValues: { name: app?.name ?? "", seats: seats ?? "", seatKind, secondFactor } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ name, ...values }: typeof form.values) => {
      const rules = { ...values, seats: values.seats === "" ? null : values.seats };
      if (app === null) return connection.administer((admin) => admin.apps.create({ name, ...rules }));
      const changes = Object.fromEntries(
        Object.entries(rules).filter(([member, value]) => value !== app[member as keyof typeof rules]),
      );
      return connection.administer((admin) => admin.apps.change(name, changes, { ifMatch: app }));
    },
    onSuccess: async ({ name }) => {
      onClose();
      await queries.invalidateQueries({ queryKey: ["apps"] });
      showSuccess(texts.apps.saved(name));
    },
  });
  const choices = (named: Readonly<Record<string, string>>) =>
    Object.entries(named).map(([value, label]) => ({ value, label }));
  return (
    <DialogForm
      submit={app === null ? texts.common.create : texts.common.save}
      isDisabled={!form.isDirty()}
      isPending={isPending}
      error={error}
      failure={texts.notices.saveFailed}
      onSubmit={form.onSubmit((values) => mutate(values))}
      onClose={onClose}
    >
      {app === null && (
        <TextInput
          label={texts.common.name}
          description={texts.apps.nameHelp}
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("name")}
        />
      )}
      <NumberInput
        label={texts.apps.seats}
        description={texts.apps.seatsHelp}
        placeholder={texts.apps.unlimited}
        min={0}
        max={1_000_000}
        allowDecimal={false}
        {...form.getInputProps("seats")}
      />
      <Select
        label={texts.apps.seatKind}
        data={choices(texts.apps.seatKinds)}
        allowDeselect={false}
        {...form.getInputProps("seatKind")}
      />
      <Select
        label={texts.apps.secondFactor}
        description={texts.apps.secondFactorHelp}
        data={choices(texts.apps.secondFactors)}
        allowDeselect={false}
        {...form.getInputProps("secondFactor")}
      />
    </DialogForm>
  );
}
