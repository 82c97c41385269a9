/** A resource of any type, stored or new, as a form of its elements. */
import { Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type UseQueryResult, useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CapabilityStatement, StructureDefinition } from 'fhir/r4'
import { type FormEvent, type ReactNode, useEffect, useMemo, useState } from 'react'
import { send } from '../../../api/client.ts'
import { definitionOf } from '../../../api/definitions.ts'
import { ifMatch, newId } from '../../../api/operations.ts'
import { issuesOf, type Wrong } from '../../../api/problem.ts'
import { readText, type StoredText, storedTextOf, writeText } from '../../../api/stored-text.ts'
import { scopeOf } from '../../../fhir/definitions.ts'
import { parseLossless } from '../../../fhir/json-text.ts'
import { resourceName } from '../../../fhir/resource-name.ts'
import { templateOf } from '../../../fhir/template.ts'
import { Conflict } from '../../../parts/conflict.tsx'
import { LinkButton, PageLink } from '../../../parts/links.tsx'
import { Loaded, Loading } from '../../../parts/page-states.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { NotSaved, SaveBar } from '../../../parts/save-bar.tsx'
import { Time } from '../../../parts/times.tsx'
import { offerUndo } from '../../../parts/undo.tsx'
import type { LeftBy } from '../../../parts/unsaved.tsx'
import { useGo } from '../../../parts/use-go.ts'
import { useVersionedForm } from '../../../parts/use-versioned-form.ts'
import type { Members } from '../cells.tsx'
import { DeleteButton } from '../delete-button.tsx'
import { isOffered } from '../offers.ts'
import { useKnown } from '../use-known.ts'
import { Elements } from './elements.tsx'
import { FormContext } from './form-context.ts'

interface OfTypeProps {
  readonly statement: CapabilityStatement
  readonly type: string
}

interface ResourcePageProps extends OfTypeProps {
  readonly id: string
}

export function ResourcePage(props: ResourcePageProps) {
  const stored = useQuery(storedTextOf(`${props.type}/${props.id}`))
  return <FormPage {...props} stored={stored} />
}

/** Begins with the least that is valid, and is stored under an id of its own: repeating the request makes no second one. */
export function NewResourcePage({ statement, type }: OfTypeProps) {
  const [id] = useState(newId)
  const known = useKnown(statement)
  const template = useQuery({
    queryKey: ['template', type, id],
    queryFn: async (): Promise<StoredText> => {
      const text = JSON.stringify({ ...(await templateOf(type, known)), id })
      return { text, version: undefined, lastUpdated: undefined }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  return <FormPage statement={statement} type={type} id={id} stored={template} />
}

interface FormPageProps extends ResourcePageProps {
  readonly stored: UseQueryResult<StoredText>
}

function FormPage({ stored, ...of }: FormPageProps) {
  const { type } = of
  const definition = useQuery(definitionOf(type))
  return (
    <Stack>
      <Text size="sm">
        <PageLink to="/explorer" search={{ view: 'resources', type }}>
          All of type {type}
        </PageLink>
      </Text>
      <Loaded query={stored} rows={10}>
        {(first) => (
          <Loaded query={definition} rows={10}>
            {(found) => (
              <OnceRead>
                <ResourceForm {...of} first={first} definition={found} />
              </OnceRead>
            )}
          </Loaded>
        )}
      </Loaded>
    </Stack>
  )
}

interface ResourceFormProps extends ResourcePageProps {
  readonly first: StoredText
  readonly definition: StructureDefinition
}

/** A form, shown once nothing is read for it any more: each definition leads to further ones, and to codes and names. */
function OnceRead({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient()
  useIsFetching()
  const [isShown, setShown] = useState(false)
  // The parts within have begun to read by now.
  useEffect(() => {
    if (client.isFetching() === 0) setShown(true)
  })
  return (
    <>
      {!isShown && <Loading rows={10} />}
      <div style={{ display: isShown ? 'contents' : 'none' }}>{children}</div>
    </>
  )
}

/** The resource without what the server sets with each version. */
function valueIn({ text }: StoredText): Members {
  const { meta, ...resource } = parseLossless(text) as Members
  const { versionId: _version, lastUpdated: _at, ...rest } = (meta ?? {}) as Members
  const { resourceType, id, ...elements } = resource
  return { resourceType, id, ...(Object.keys(rest).length > 0 ? { meta: rest } : {}), ...elements }
}

function useResourceForm({ statement, type, id, first }: ResourceFormProps) {
  const client = useQueryClient()
  const go = useGo()
  const path = `${type}/${id}`
  const forget = (): void => {
    void client.invalidateQueries({ queryKey: [type], refetchType: 'none' })
    void client.invalidateQueries({ queryKey: [type, path, 'text'] })
  }
  const remove = async ({ version }: StoredText): Promise<void> => {
    await send({ method: 'DELETE', path, headers: ifMatch(version) })
    // Elsewhere the user stays.
    if (location.search.includes(id)) go('/explorer', { view: 'resources', type })
  }
  const onSaved = (saved: StoredText): void => {
    forget()
    if (!isNew(first)) return void notifications.show({ message: `${path} is saved.` })
    go('/explorer', { view: 'resources', type, id })
    const said = `${path} is created.`
    if (isOffered(statement, type, 'delete')) offerUndo(said, { things: [path], undo: () => remove(saved) })
    else notifications.show({ message: said })
  }
  return useVersionedForm<StoredText, Members, Wrong>(first, {
    valueIn,
    write: (value, on) => writeText(path, JSON.stringify(value), on.version),
    read: () => readText(path),
    problemsOf: issuesOf,
    onSaved,
  })
}

const isNew = ({ version }: StoredText): boolean => version === undefined

/** Another view of the explorer, another resource, or the list. */
const leftBy: LeftBy = ({ view, type, id, new: isNew }) => [view, type, id, isNew].join()

function ResourceForm(props: ResourceFormProps) {
  const { statement, type, id, first, definition } = props
  const form = useResourceForm(props)
  const mayUpdate = isOffered(statement, type, 'update')
  const label = isNew(first) ? `New ${type}` : `${type}/${id}`
  const context = useMemo(
    () => ({ statement, problems: new Map(form.problems.map(({ expression, text }) => [expression ?? '', text])) }),
    [statement, form.problems],
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void form.save()
  }
  return (
    <FormContext value={context}>
      {isNew(first) ? <NewHead {...props} /> : <Head {...props} name={resourceName(form.value)} />}
      <form onSubmit={submit} aria-label={label}>
        <fieldset disabled={!mayUpdate} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Panel title="Elements">
            <Elements
              scope={scopeOf(definition)}
              value={form.value}
              path={type}
              level={0}
              onChange={(value) => form.setValue(value)}
            />
          </Panel>
        </fieldset>
        <NotSaved
          problems={form.problems.map(({ text, expression }) => (expression ? `${expression}: ${text}` : text))}
        />
        {mayUpdate && (
          <SaveBar
            isBusy={form.isBusy}
            isChanged={form.isChanged}
            isNew={isNew(first)}
            leftBy={leftBy}
            onReset={form.reset}
          />
        )}
      </form>
      {form.conflict && <Conflict {...form.conflict} labelOf={(path) => path} textOf={textOf} />}
      {first.version !== undefined && (
        <Text size="xs" c="dimmed">
          Read as version {first.version}
        </Text>
      )}
    </FormContext>
  )
}

const textOf = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value, null, 1))

const NewHead = ({ type }: ResourceFormProps) => (
  <Group justify="space-between" mb="sm" gap="sm">
    <Stack gap={0} miw={0}>
      <Text fw={600}>New {type}</Text>
      <Text size="sm" c="dimmed">
        Filled in with the least that is valid; replace what stands for your values.
      </Text>
    </Stack>
    <LinkButton size="xs" variant="default" to="/explorer" search={{ method: 'POST', path: type, fill: 'yes' }}>
      In the console
    </LinkButton>
  </Group>
)

function Head({ statement, type, id, first, name }: ResourceFormProps & { readonly name: string | undefined }) {
  const go = useGo()
  const path = `${type}/${id}`
  return (
    <Group justify="space-between" mb="sm" gap="sm">
      <Stack gap={0} miw={0}>
        <Text fw={600}>
          <bdi>{name?.slice(0, 200) ?? path}</bdi>
        </Text>
        <Text size="sm" c="dimmed">
          <span className="mono">{path}</span> · last updated <Time at={first.lastUpdated} />
        </Text>
      </Stack>
      <Group gap="xs">
        <LinkButton size="xs" variant="default" to="/explorer" search={{ path }}>
          In the console
        </LinkButton>
        {isOffered(statement, type, 'history-instance') && (
          <LinkButton size="xs" variant="default" to="/explorer" search={{ path: `${path}/_history`, form: 'changes' }}>
            History
          </LinkButton>
        )}
        {isOffered(statement, type, 'delete') && first.version !== undefined && (
          <DeleteButton path={path} version={first.version} onOpen={(opened) => go('/explorer', { path: opened })} />
        )}
      </Group>
    </Group>
  )
}
