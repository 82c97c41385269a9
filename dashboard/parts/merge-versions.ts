/** Merges two versions of the same data, by the changes that each has made. */
import { isRecord } from '../api/problem.ts'
import { numberText } from '../fhir/json-text.ts'

export interface Difference {
  /** `policies.holdMinutes` */
  readonly path: string
  readonly mine: unknown
  readonly theirs: unknown
  /** Whether both have changed it, so that the user must choose. */
  readonly isContested: boolean
  /** Only I have changed it. */
  readonly isMine: boolean
}

/** @param base as it was read before either change */
export function differencesOf(base: unknown, mine: unknown, theirs: unknown): readonly Difference[] {
  const [was, is, other] = [leavesOf(base), leavesOf(mine), leavesOf(theirs)]
  const paths = [...new Set([...is.keys(), ...other.keys()])]
  return paths.flatMap((path) => {
    if (isSame(is.get(path), other.get(path))) return []
    const isMine = !isSame(is.get(path), was.get(path))
    const isTheirs = !isSame(other.get(path), was.get(path))
    return [{ path, mine: is.get(path), theirs: other.get(path), isContested: isMine && isTheirs, isMine }]
  })
}

/** Theirs, with mine in some places. */
export function merged(
  theirs: unknown,
  differences: readonly Difference[],
  takesMine: (path: string) => boolean,
): unknown {
  return differences
    .filter(({ path }) => takesMine(path))
    .reduce((whole, { path, mine }) => withValue(whole, path.split('.'), mine), theirs)
}

/** Lists are of one piece. */
function leavesOf(value: unknown, path: readonly string[] = []): ReadonlyMap<string, unknown> {
  // A number as it was written is an object, too.
  if (!isRecord(value) || numberText(value) !== undefined || (Object.keys(value).length === 0 && path.length > 0))
    return new Map([[path.join('.'), value]])
  return new Map(Object.entries(value).flatMap(([name, part]) => [...leavesOf(part, [...path, name])]))
}

function withValue(whole: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const record = isRecord(whole) ? whole : {}
  const { [name]: part, ...others } = record
  const next = withValue(part, rest, value)
  return next === undefined ? others : { ...record, [name]: next }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
