/** A resource of any type, as a form of its elements. */
import { Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CapabilityStatement, StructureDefinition } from 'fhir/r4'
import { type FormEvent, useMemo } from 'react'
import { definitionOf } from '../../../api/definitions.ts'
import { issuesOf, type Wrong } from '../../../api/problem.ts'
import { readText, type StoredText, storedTextOf, writeText } from '../../../api/stored-text.ts'
import { scopeOf } from '../../../fhir/definitions.ts'
import { parseLossless } from '../../../fhir/json-text.ts'
import { resourceName } from '../../../fhir/resource-name.ts'
import { Conflict } from '../../../parts/conflict.tsx'
import { LinkButton, PageLink } from '../../../parts/links.tsx'
import { Loaded } from '../../../parts/page-states.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { NotSaved, SaveBar } from '../../../parts/save-bar.tsx'
import { Time } from '../../../parts/times.tsx'
import { useGo } from '../../../parts/use-go.ts'
import { useVersionedForm } from '../../../parts/use-versioned-form.ts'
import type { Members } from '../cells.tsx'
import { DeleteButton } from '../delete-button.tsx'
import { isOffered } from '../offers.ts'
import { Elements } from './elements.tsx'
import { FormContext } from './form-context.ts'

interface ResourcePageProps {
  readonly statement: CapabilityStatement
  readonly type: string
  readonly id: string
}

export function ResourcePage(props: ResourcePageProps) {
  const { type, id } = props
  const stored = useQuery(storedTextOf(`${type}/${id}`))
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
            {(found) => <ResourceForm {...props} first={first} definition={found} />}
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

/** The resource without what the server sets with each version. */
function valueIn({ text }: StoredText): Members {
  const { meta, ...resource } = parseLossless(text) as Members
  const { versionId: _version, lastUpdated: _at, ...rest } = (meta ?? {}) as Members
  const { resourceType, id, ...elements } = resource
  return { resourceType, id, ...(Object.keys(rest).length > 0 ? { meta: rest } : {}), ...elements }
}

function useResourceForm({ type, id, first }: ResourceFormProps) {
  const client = useQueryClient()
  const path = `${type}/${id}`
  return useVersionedForm<StoredText, Members, Wrong>(first, {
    valueIn,
    write: (value, on) => writeText(path, JSON.stringify(value), on.version),
    read: () => readText(path),
    problemsOf: issuesOf,
    onSaved: () => {
      void client.invalidateQueries({ queryKey: [type], refetchType: 'none' })
      void client.invalidateQueries({ queryKey: [type, path, 'text'] })
      notifications.show({ message: `${path} is saved.` })
    },
  })
}

function ResourceForm(props: ResourceFormProps) {
  const { statement, type, id, first, definition } = props
  const form = useResourceForm(props)
  const mayUpdate = isOffered(statement, type, 'update')
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
      <Head {...props} name={resourceName(form.value)} />
      <form onSubmit={submit} aria-label={`${type}/${id}`}>
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
        {mayUpdate && <SaveBar isBusy={form.isBusy} isChanged={form.isChanged} onReset={form.reset} />}
      </form>
      {form.conflict && <Conflict {...form.conflict} labelOf={(path) => path} textOf={textOf} />}
      <Text size="xs" c="dimmed">
        Read as version {first.version}
      </Text>
    </FormContext>
  )
}

const textOf = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value, null, 1))

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
