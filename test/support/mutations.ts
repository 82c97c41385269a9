/** Every way to spoil one place of a resource, to compare two validators. */
import { isObject } from '../../src/fhir/resource.ts'

type Path = readonly (string | number)[]
type Change = (value: unknown) => unknown

const isText = (value: unknown): value is string => typeof value === 'string'

/** The new value of a place; undefined removes it. */
const CHANGES: Readonly<Record<string, Change>> = {
  'is removed': () => undefined,
  'becomes null': () => null,
  'becomes a number, or text if it is one': (value) => (typeof value === 'number' ? 'seven' : 7),
  'becomes an object with an id only': () => ({ id: 'x' }),
  'becomes a list, or its first item if it is one': (value) => (Array.isArray(value) ? value[0] : [value]),
  'gets an unknown element': (value) => (isObject(value) ? { ...value, surprise: 1 } : value),
  'becomes text with spaces at the ends': (value) => (isText(value) ? ' no such thing ' : 'text'),
  'becomes a day that does not exist': (value) => (isText(value) && /^\d{4}/.test(value) ? '2023-02-30' : value),
  'becomes a code that does not exist': (value) => (isText(value) ? 'no-such-code' : value),
  'becomes negative': (value) => (typeof value === 'number' ? -1 : value),
  'becomes a fraction': (value) => (typeof value === 'number' ? 1.5 : value),
}

export interface Mutation {
  readonly name: string
  readonly resource: unknown
}

export function* mutations(resource: { readonly resourceType: string }): Generator<Mutation> {
  const before = JSON.stringify(resource)
  for (const path of places(resource)) {
    if (path.at(-1) === 'resourceType') continue
    for (const [said, change] of Object.entries(CHANGES)) {
      const mutated = changed(resource, path, change)
      if (JSON.stringify(mutated) !== before) {
        yield { name: `${resource.resourceType}.${path.join('.')} ${said}`, resource: mutated }
      }
    }
  }
}

function* places(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    yield [...path, key]
    yield* places(child, [...path, key])
  }
}

function changed(value: unknown, [step, ...rest]: Path, change: Change): unknown {
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (index === Number(step) ? present(changed(item, rest, change)) : [item]))
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, key === step ? changed(item, rest, change) : item])
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

const present = (item: unknown): readonly unknown[] => (item === undefined ? [] : [item])
