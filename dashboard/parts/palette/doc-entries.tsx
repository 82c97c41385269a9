/** Pages of the documentation in the palette, found by the words of their titles and headings. */
import { Spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { docPages } from '../../api/docs.ts'
import { Icon } from '../icon.tsx'
import { idOf } from '../markdown/blocks.ts'
import { docsFound, type FoundDoc } from './docs-found.ts'

/** The most entries shown. */
const MOST = 5
/** Fewer letters are in too many headings. */
const LEAST = 3

export function useDocs(query: string): readonly FoundDoc[] {
  const { data = [] } = useQuery({ ...docPages, enabled: query.length >= LEAST })
  return query.length < LEAST ? [] : docsFound(data, query).slice(0, MOST)
}

interface DocEntriesProps {
  readonly found: readonly FoundDoc[]
  readonly go: (to: string, search: Record<string, string>) => void
}

export const DocEntries = ({ found, go }: DocEntriesProps) =>
  found.map(({ page: { path, title }, heading }) => (
    <Spotlight.Action
      key={`${path} ${heading}`}
      label={heading ?? title}
      description={heading === undefined ? 'Documentation' : `Documentation, ${title}`}
      leftSection={<Icon name="document" />}
      onClick={() => go('/help', { doc: path, ...(heading === undefined ? {} : { section: idOf(heading) }) })}
    />
  ))
