import { PasswordInput, Skeleton, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { AdministeredProviderData } from "@sallyport/client/admin";
import { useMutation, useQuery } from "@tanstack/react-query";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { FailureDetails } from "../notices/notices.tsx";

/** Members of the additional data, by type. */
const members: ReadonlyMap<string, readonly string[]> = new Map([
  ["google", ["clientId", "clientSecret"]],
  ["facebook", ["clientId", "clientSecret"]],
  ["microsoft", ["clientId", "clientSecret", "tenant"]],
  ["apple", ["clientId", "teamId", "keyIdentifier", "keyPath", "serverAddress"]],
]);
const optionalMembers: ReadonlySet<string> = new Set(["tenant"]);
const isSecret = (member: string) => /secret/i.test(member);

interface ProviderDialogProps {
  readonly type: string;
  /** `null`: it is not registered. */
  readonly entry: AdministeredProviderData | null;
  readonly isOpen: boolean;
  onClose(): void;
  onSaved(): Promise<void>;
}

export function ProviderDialog({ isOpen, ...form }: ProviderDialogProps) {
  const texts = useTexts();
  return (
    <Dialog isOpen={isOpen} title={texts.providers.registration(form.type)} onClose={form.onClose}>
      {isOpen && (form.entry === null ? <ProviderForm {...form} /> : <LoadedProvider {...form} />)}
    </Dialog>
  );
}

type ProviderFormProps = Omit<ProviderDialogProps, "isOpen">;

/** Reads the current registration, whose version the change names. */
function LoadedProvider(form: ProviderFormProps) {
  const connection = useConnection();
  const { data, error } = useQuery({
    queryKey: ["providers", "one", form.type],
    queryFn: ({ signal }) =>
      connection.administer(async (admin) => {
        const entry = await admin.providers.get(form.type, { signal });
        const { defaultUser } = entry;
        const { items } =
          defaultUser === null ? { items: [] } : await admin.users.list({ search: defaultUser, signal });
        return { entry, userId: items.find(({ name }) => name === defaultUser)?.userId ?? null };
      }),
    gcTime: 0,
  });
  if (data !== undefined) return <ProviderForm {...form} entry={data.entry} defaultUserId={data.userId} />;
  return error === null ? <Skeleton height={240} /> : <FailureDetails error={error} />;
}

function ProviderForm({
  type,
  entry,
  defaultUserId = null,
  onClose,
  onSaved,
}: ProviderFormProps & { readonly defaultUserId?: string | null }) {
  const texts = useTexts();
  const connection = useConnection();
  const names = members.get(type) ?? Object.keys(entry?.data ?? {});
  const form = useForm({
    initialValues: {
      name: entry?.name ?? type,
      appNames: [...(entry?.appNames ?? [])],
      defaultUserId,
      data: Object.fromEntries(names.map((name) => [name, isSecret(name) ? "" : (entry?.data[name] ?? "")])),
    },
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ data, ...values }: typeof form.values) => {
      const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== ""));
      const condition = entry === null ? {} : { ifMatch: entry };
      return connection.administer((admin) => admin.providers.put(type, { ...values, data: present }, condition));
    },
    onSuccess: async () => {
      onClose();
      await onSaved();
    },
  });
  return (
    <DialogForm
      submit={entry === null ? texts.providers.register : texts.common.save}
      isPending={isPending}
      error={error}
      failure={texts.notices.saveFailed}
      onSubmit={form.onSubmit((values) => mutate(values))}
      onClose={onClose}
    >
      {entry !== null && <Text size="sm">{texts.providers.secretHelp}</Text>}
      <TextInput label={texts.common.name} required data-autofocus {...form.getInputProps("name")} />
      {names.map((name) =>
        isSecret(name) ? (
          <PasswordInput key={name} label={name} required autoComplete="off" {...form.getInputProps(`data.${name}`)} />
        ) : (
          <TextInput
            key={name}
            label={name}
            required={!optionalMembers.has(name)}
            autoComplete="off"
            {...form.getInputProps(`data.${name}`)}
          />
        ),
      )}
      <TagsInput
        label={texts.appKeys.appNames}
        description={texts.providers.appNamesHelp}
        {...form.getInputProps("appNames")}
      />
      <UserPicker
        label={texts.providers.defaultUser}
        isLabelled
        value={form.values.defaultUserId}
        onChange={(userId) => form.setFieldValue("defaultUserId", userId)}
      />
    </DialogForm>
  );
}
