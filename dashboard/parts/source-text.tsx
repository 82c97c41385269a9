/** A text in which web addresses are links, such as the source of a step. */
import { Anchor } from '@mantine/core'

const ADDRESS = /(https?:\/\/[^\s;,]+)/

export const SourceText = ({ text }: { readonly text: string }) =>
  text.split(ADDRESS).map((part) =>
    ADDRESS.test(part) ? (
      <Anchor key={part} href={part} target="_blank" rel="noreferrer" inherit>
        {part}
      </Anchor>
    ) : (
      part
    ),
  )
