/** A declared interaction as a request: to try in the console, or to copy as a curl that runs as it is. */
import { Badge, Box, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CapabilityStatement } from 'fhir/r4'
import { headersFor } from '../../fhir/operation-example.ts'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { LinkButton } from '../../parts/links.tsx'
import type { Offer } from './offers.ts'
import { takesBody } from './request-text.ts'
import { useBodies } from './use-known.ts'

interface OfferRowProps {
  readonly offer: Offer
  readonly statement: CapabilityStatement
}

export function OfferRow({ offer, statement }: OfferRowProps) {
  const { method, path, label, fill = 'yes' } = offer
  const bodyFor = useBodies(statement)
  const isBody = takesBody(method)
  const { data: body } = useQuery({
    queryKey: ['example body', method, path, fill],
    queryFn: async () => (await bodyFor({ method, path }, fill)) ?? null,
    enabled: isBody,
    // Free times and patients in it change.
    staleTime: 60_000,
  })
  const request = { method, path, headers: headersFor(path), ...(isBody && body ? { body: JSON.stringify(body) } : {}) }
  const isReady = !isBody || body !== undefined
  return (
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <Group gap="sm" miw={0} flex={1}>
        <Badge variant="default" w={70} flex="none">
          {method}
        </Badge>
        <Text size="sm" fw={600} flex="none">
          {label}
        </Text>
        {/* On a line of its own where there is little room, however long it is. */}
        <Text size="sm" c="dimmed" className="mono cut" miw={0} flex={{ base: '1 0 100%', sm: 1 }}>
          {path}
        </Text>
      </Group>
      <Group gap="xs" flex="none" wrap="nowrap">
        <Box visibleFrom="sm" style={{ visibility: isReady ? 'visible' : 'hidden' }}>
          <CopyAsCurl request={request} />
        </Box>
        <LinkButton size="xs" variant="default" to="/explorer" search={{ method, path, ...(isBody ? { fill } : {}) }}>
          Try
        </LinkButton>
      </Group>
    </Group>
  )
}
