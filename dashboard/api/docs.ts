/** The documentation, as the server has it. */
import { queryOptions } from '@tanstack/react-query'
import { get, READS, send } from './client.ts'

export interface DocPage {
  /** `operations/patient-merge.md` */
  readonly path: string
  readonly title: string
  readonly headings: readonly string[]
}

export const docPages = queryOptions({
  queryKey: ['docs'],
  queryFn: async ({ signal }) => (await get<{ readonly pages: readonly DocPage[] }>('docs', signal)).pages,
  staleTime: Number.POSITIVE_INFINITY,
})

export const docOf = (path: string) =>
  queryOptions({
    queryKey: ['docs', path],
    queryFn: async ({ signal }) =>
      (
        await send({
          path: `docs/${path.split('/').map(encodeURIComponent).join('/')}`,
          signal,
          headers: { 'x-run-id': READS },
        })
      ).text,
    staleTime: Number.POSITIVE_INFINITY,
  })
