/** The elements of a resource or of a part of it, as fields; others can be added. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { definitionOf } from '../../../api/definitions.ts'
import { elementsIn, isPrimitive, type Scope, scopeOf, type TypedElement } from '../../../fhir/definitions.ts'
import type { Members } from '../cells.tsx'
import classes from '../explorer.module.css'
import { CodePicker } from './code-picker.tsx'
import { Hint, PrimitiveField } from './primitive-field.tsx'
import { ReferenceFields } from './reference-fields.tsx'

interface ElementsProps {
  readonly scope: Scope
  readonly value: Members
  /** FHIRPath: `Patient.name[0]`. */
  readonly path: string
  /** Elements around it. */
  readonly level: number
  readonly onChange: (value: Members) => void
}

/** Elements of any type that the form leaves as they are. */
const KEPT: readonly string[] = ['id', 'extension', 'modifierExtension']
/** The same of a resource; within it these names mean something else, as in `CodeableConcept.text`. */
const KEPT_OF_RESOURCES: readonly string[] = [...KEPT, 'meta', 'implicitRules', 'language', 'text', 'contained']

export function Elements({ scope, value, path, level, onChange }: ElementsProps) {
  const kept = level === 0 ? KEPT_OF_RESOURCES : KEPT
  const elements = elementsIn(scope).filter(({ name }) => !kept.includes(name))
  const isGiven = ({ name }: TypedElement): boolean => value[name] !== undefined
  const isChosen = ({ choice }: TypedElement): boolean =>
    choice !== undefined && elements.some((one) => one.choice === choice && isGiven(one))
  const shown = elements.filter((one) => isGiven(one) || (one.min > 0 && one.choice === undefined))
  const others = elements.filter((one) => !shown.includes(one) && !isChosen(one))
  const set = (name: string, next: unknown): void => onChange(withMember(value, name, next))
  const add = (name: string): void => {
    const element = elements.find((one) => one.name === name)
    if (element !== undefined) set(name, element.isMany ? [emptyOf(element)] : emptyOf(element))
  }
  return (
    <Stack gap="sm">
      {shown.map((element) => (
        <ElementField
          key={element.name}
          scope={scope}
          element={element}
          value={value[element.name]}
          hasExtensions={value[`_${element.name}`] !== undefined}
          path={`${path}.${element.choice ?? element.name}`}
          level={level}
          onChange={(next) => set(element.name, next)}
        />
      ))}
      {others.length > 0 && (
        <NativeSelect
          label={level === 0 ? 'Add an element' : `Add an element to ${path.slice(path.lastIndexOf('.') + 1)}`}
          maw={320}
          data={['', ...others.map(({ name }) => name)]}
          value=""
          onChange={(event) => add(event.currentTarget.value)}
        />
      )}
      <Untouched value={value} known={elements} isRoot={level === 0} />
    </Stack>
  )
}

/** Members in their order; a new one comes last, and one that is undefined is left out. */
function withMember(value: Members, name: string, next: unknown): Members {
  const { [name]: _before, ...others } = value
  if (next === undefined) return others
  return { ...value, [name]: next }
}

const emptyOf = ({ type }: TypedElement): unknown => (isPrimitive(type.code) ? '' : {})

interface UntouchedProps {
  readonly value: Members
  readonly known: readonly TypedElement[]
  readonly isRoot: boolean
}

/** The members that the form has no field for, which are saved as they are. */
function Untouched({ value, known, isRoot }: UntouchedProps) {
  const own = new Set([...known.map(({ name }) => name), ...(isRoot ? ['resourceType', 'id', 'meta'] : [])])
  const names = Object.keys(value).filter((name) => !own.has(name))
  if (names.length === 0) return null
  return (
    <Text size="xs" c="dimmed">
      Kept as it is: <span className="mono">{names.join(', ')}</span>
    </Text>
  )
}

interface ElementFieldProps {
  readonly scope: Scope
  readonly element: TypedElement
  readonly value: unknown
  /** Whether extensions stand beside its values, by their places in the list. */
  readonly hasExtensions: boolean
  readonly path: string
  readonly level: number
  readonly onChange: (value: unknown) => void
}

function ElementField({ hasExtensions, ...props }: ElementFieldProps) {
  const { element, value, path, onChange } = props
  const { name, isMany } = element
  const removing = (remove: () => void): (() => void) | undefined => (hasExtensions ? undefined : remove)
  if (!isMany) return <ElementValue {...props} label={name} onRemove={removing(() => onChange(undefined))} />
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const without = (index: number): unknown => {
    const left = list.filter((_, at) => at !== index)
    return left.length === 0 ? undefined : left
  }
  return (
    <Stack gap="xs">
      {list.map((one, index) => (
        <ElementValue
          {...props}
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what tells an item of a list
          key={index}
          label={`${name} ${index + 1}`}
          value={one}
          path={`${path}[${index}]`}
          onChange={(next) => onChange(list.map((old, at) => (at === index ? next : old)))}
          onRemove={removing(() => onChange(without(index)))}
        />
      ))}
      <Group>
        <Button size="compact-xs" variant="default" onClick={() => onChange([...list, emptyOf(element)])}>
          Add {name} {list.length + 1}
        </Button>
      </Group>
    </Stack>
  )
}

interface ValueProps extends Omit<ElementFieldProps, 'hasExtensions'> {
  readonly label: string
  /** Absent: it cannot be removed here, as extensions are in its place. */
  readonly onRemove: (() => void) | undefined
}

function ElementValue(props: ValueProps) {
  const { element, value, label } = props
  if (value === null) return <Hint label={label}>no value, kept as it is</Hint>
  if (!isPrimitive(element.type.code)) return <PartField {...props} />
  return (
    <Group gap="xs" align="end" wrap="nowrap">
      <div style={{ flex: 1, minWidth: 0 }}>
        <PrimitiveField {...props} />
      </div>
      <RemoveButton {...props}>Remove</RemoveButton>
    </Group>
  )
}

type RemoveButtonProps = Pick<ValueProps, 'label' | 'onRemove'> & { readonly children: ReactNode }

function RemoveButton({ label, onRemove, children }: RemoveButtonProps) {
  if (onRemove === undefined) return null
  return (
    <Button size="compact-sm" variant="default" mb={5} flex="none" title={`Remove ${label}`} onClick={onRemove}>
      {children}
    </Button>
  )
}

/** Levels that are open at first. */
const OPEN = 2

function PartField({ scope, element, label, value, path, level, onChange, onRemove }: ValueProps) {
  const { type, within, binding } = element
  const members = (value ?? {}) as Members
  const { data: definition } = useQuery({ ...definitionOf(type.code), enabled: within === undefined })
  const inner =
    within === undefined ? definition && scopeOf(definition) : { definition: scope.definition, path: within }
  return (
    <details className={classes.part} open={level < OPEN}>
      <summary>
        <strong>{label}</strong>{' '}
        <Text span size="xs" c="dimmed">
          {type.code}
        </Text>
      </summary>
      {type.code === 'Reference' && (
        <ReferenceFields element={element} value={members} path={path} onChange={onChange} />
      )}
      {binding !== undefined && (type.code === 'CodeableConcept' || type.code === 'Coding') && (
        <CodePicker element={element} value={members} onChange={onChange} />
      )}
      {inner !== undefined && (
        <Elements scope={inner} value={members} path={path} level={level + 1} onChange={onChange} />
      )}
      <Group mt="xs">
        <RemoveButton label={label} onRemove={onRemove}>
          Remove {label}
        </RemoveButton>
      </Group>
    </details>
  )
}
