/** Values within settings, by their path. */
import { isRecord } from '../../api/problem.ts'

export const valueAt = (settings: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((whole, name) => {
    if (Array.isArray(whole)) return whole[Number(name)]
    return isRecord(whole) ? whole[name] : undefined
  }, settings)

/** The settings with a value at a path; undefined removes it, and each object that is empty afterwards. */
export const withValueAt = (settings: unknown, path: string, value: unknown): unknown =>
  put(settings, path.split('.'), value)

function put(whole: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(whole)) {
    const next = [...whole]
    next[Number(name)] = put(whole[Number(name)], rest, value)
    return next.filter((one) => one !== undefined)
  }
  const { [name]: part, ...others } = isRecord(whole) ? whole : {}
  const next = put(part, rest, value)
  const isGone = next === undefined || (rest.length > 0 && isRecord(next) && Object.keys(next).length === 0)
  return isGone ? others : { ...others, [name]: next }
}

/** The value as readable text. */
export function textOfSetting(value: unknown): string {
  if (value === undefined) return 'not set'
  if (value === true || value === false) return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(String).join('\n') || 'none'
  return isRecord(value) ? JSON.stringify(value) : String(value)
}

/** The first problem of a field: each problem begins with the path it is about. */
export const problemAt = (problems: readonly string[], path: string): string | undefined =>
  problems.find((problem) => {
    const [at = ''] = problem.replaceAll(/\[(\d+)\]/g, '.$1').split(' ')
    return at === path || at.startsWith(`${path}.`)
  })
