/** A segment of a path as it is compared: percent-encoded octets stand for themselves (RFC 3986, 6.2.2.2). */
export function decodedSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
