/** A search of a type in parts, which its CapabilityStatement offers: it writes the address, and reads it back. */
import { Button, type ButtonProps, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import {
  hasPrefix,
  modifiersOf,
  PREFIXES,
  readSearch,
  type SearchParts,
  type SearchRow,
  writeSearch,
} from '../../fhir/search-path.ts'
import classes from './explorer.module.css'
import { type DeclaredType, isOffered, resourceOf } from './offers.ts'

interface SearchBuilderProps {
  readonly statement: CapabilityStatement
  /** The address that is typed. */
  readonly path: string
  readonly onChange: (path: string) => void
}

interface BuildButtonProps extends Pick<ButtonProps, 'size'> {
  readonly isBuilt: boolean
  /** @param changes of the address */
  readonly onChange: (changes: { readonly build: string }, how: { readonly replace: boolean }) => void
}

/** Shows a search in parts, or as its address alone. */
export const BuildButton = ({ isBuilt, onChange, ...look }: BuildButtonProps) => (
  <Button
    variant="default"
    aria-expanded={isBuilt}
    onClick={() => onChange({ build: isBuilt ? '' : 'yes' }, { replace: true })}
    {...look}
  >
    Build the search
  </Button>
)

/** Parameters of the result, of which a statement says nothing. */
const OF_RESULT = ['_sort', '_include', '_revinclude', '_count', '_total', '_summary', '_elements']

/** The search that an address is, where the statement declares searches of the type. */
export function searchOf(statement: CapabilityStatement, path: string): SearchParts | undefined {
  const type = /^\/*([A-Z]\w+)/.exec(path)?.[1] ?? ''
  if (!isOffered(statement, type, 'search-type')) return undefined
  return readSearch(path, kindsOf(resourceOf(statement, type)))
}

const kindsOf = (resource: DeclaredType | undefined) => (name: string) =>
  resource?.searchParam?.find((one) => one.name === name)?.type

export function SearchBuilder({ statement, path, onChange }: SearchBuilderProps) {
  const search = searchOf(statement, path)
  const resource = resourceOf(statement, search?.type ?? '')
  if (search === undefined || resource === undefined) return null
  const { type, rows } = search
  const write = (next: readonly SearchRow[]): void => onChange(writeSearch({ type, rows: next }))
  const add = (): void =>
    write([...rows, { name: resource.searchParam?.[0]?.name ?? '_id', modifier: '', prefix: '', value: '' }])
  return (
    <fieldset className={`card ${classes.builder}`}>
      <legend>Search of {type}</legend>
      <Stack gap="xs">
        {rows.map((row, index) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: a parameter may be repeated
            key={index}
            row={row}
            resource={resource}
            onChange={(next) => write(rows.map((one, at) => (at === index ? next : one)))}
            onRemove={() => write(rows.filter((_, at) => at !== index))}
          />
        ))}
        <Group>
          <Button size="xs" variant="default" onClick={add}>
            Add a parameter
          </Button>
        </Group>
      </Stack>
    </fieldset>
  )
}

interface RowProps {
  readonly row: SearchRow
  readonly resource: DeclaredType
  readonly onChange: (row: SearchRow) => void
  readonly onRemove: () => void
}

function Row({ row, resource, onChange, onRemove }: RowProps) {
  const kind = kindsOf(resource)(row.name)
  const modifiers = modifiersOf(row.name, kind)
  const names = [...(resource.searchParam ?? []).map(({ name = '' }) => name), ...OF_RESULT]
  return (
    <Group gap="xs" align="end">
      <NativeSelect
        label="Parameter"
        data={withOwn(names, row.name)}
        value={row.name}
        onChange={({ currentTarget: { value } }) => onChange({ ...row, name: value, modifier: '', prefix: '' })}
      />
      {(modifiers.length > 0 || row.modifier !== '') && (
        <NativeSelect
          label="Modifier"
          data={['', ...withOwn(modifiers, row.modifier)]}
          value={row.modifier}
          onChange={({ currentTarget: { value } }) => onChange({ ...row, modifier: value })}
        />
      )}
      {hasPrefix(kind) && (
        <NativeSelect
          label="Comparator"
          data={['', ...PREFIXES]}
          value={row.prefix}
          onChange={({ currentTarget: { value } }) => onChange({ ...row, prefix: value })}
        />
      )}
      <Value row={row} resource={resource} onChange={(value) => onChange({ ...row, value })} />
      <Button size="xs" variant="default" mb={3} onClick={onRemove}>
        Remove {row.name}
      </Button>
    </Group>
  )
}

interface ValueProps {
  readonly row: SearchRow
  readonly resource: DeclaredType
  readonly onChange: (value: string) => void
}

function Value({ row, resource, onChange }: ValueProps) {
  const choices = choicesOf(row.name, resource)
  if (choices !== undefined)
    return (
      <NativeSelect
        label="Value"
        data={['', ...withOwn(choices, row.value)]}
        value={row.value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  return (
    <TextInput
      label="Value"
      flex="1 1 140px"
      spellCheck={false}
      value={row.value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** Values of parameters of the result that the statement lists. */
function choicesOf(name: string, { searchInclude, searchRevInclude, searchParam = [] }: DeclaredType) {
  if (name === '_include') return given(searchInclude)
  if (name === '_revinclude') return given(searchRevInclude)
  if (name === '_total') return ['none', 'estimate', 'accurate']
  if (name === '_summary') return ['true', 'text', 'data', 'count', 'false']
  const sorted = searchParam.flatMap(({ name: one, type }) =>
    one !== undefined && type !== 'special' ? [one, `-${one}`] : [],
  )
  return name === '_sort' ? sorted : undefined
}

const given = (list: readonly (string | null)[] | undefined): readonly string[] | undefined =>
  list?.flatMap((one) => one ?? [])

/** The choices with the one that is written, which the statement may lack. */
const withOwn = (choices: readonly string[], own: string): string[] =>
  own === '' || choices.includes(own) ? [...choices] : [own, ...choices]
