/** The addresses of the pages of the dashboard. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The addresses in the list of pages, which is not loaded, as it leads to all components. `$id` stands for what varies. */
export const pageAddresses: readonly string[] = Array.from(
  readFileSync(join(import.meta.dirname, '../../dashboard/page-list.ts'), 'utf8').matchAll(/path: '(.+)'/g),
  ([, path = '']) => path,
)
