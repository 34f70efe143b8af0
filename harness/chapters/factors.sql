-- What each factor of the file does.

UPDATE known SET placebo = 1
WHERE variant IN (SELECT v.id FROM asked_factor f JOIN variant v ON v.name = after WHERE placebo);

INSERT INTO asked_contrast(finding, part, variant, against, metric, from_bytes, to_bytes, regime)
SELECT 'factors', f.id, t.id, b.id, m.metric,
       iif(m.metric = 'busbw', f.from_bytes, latency_from),
       iif(m.metric = 'busbw', f.to_bytes, latency_to), r.nth
FROM asked_factor f JOIN variant b ON b.name = before JOIN variant t ON t.name = after
JOIN (SELECT 'busbw' metric, 'large' sizes UNION ALL SELECT 'latency', 'small') m
LEFT JOIN regime r ON r.name = m.sizes
WHERE why = '';

-- Its effect on bandwidth of a stream, after ÷ before, and on latency (p50 of isolated calls),
-- before ÷ after: above 1 is faster in both. What is not judged is missing; cells and sizes are
-- bandwidth's, or latency's if that alone is judged or has cells.
CREATE VIEW factor AS
SELECT f.id, name, text, setting, before, after, placebo,
       b.speed bandwidth, b.speed_lo bandwidth_lo, b.speed_hi bandwidth_hi,
       coalesce(b.speed_blocks, 0) bandwidth_blocks, b.confidence bandwidth_confidence,
       b.word bandwidth_word, b.verdict bandwidth_said, coalesce(b.label, '-') bandwidth_label,
       b.detectable bandwidth_detectable, b.by_cell bandwidth_by_cell,
       l.speed latency, l.speed_lo latency_lo, l.speed_hi latency_hi,
       coalesce(l.speed_blocks, 0) latency_blocks, l.confidence latency_confidence,
       l.word latency_word, l.verdict latency_said, coalesce(l.label, '-') latency_label,
       l.detectable latency_detectable, l.by_cell latency_by_cell,
       coalesce(m.opposed, 0) opposed, coalesce(m.cells, 0) cells,
       coalesce(m.from_bytes, 0) from_bytes, coalesce(m.to_bytes, 0) to_bytes,
       c.from_bytes latency_from, c.to_bytes latency_to,
       coalesce(nullif(f.why, ''), nullif(m.why, ''), iif(m.asked = c.asked, latency_why, '')) why
FROM asked_factor f JOIN given
LEFT JOIN asked_found b ON (b.finding, b.part, b.metric) = ('factors', f.id, 'busbw')
LEFT JOIN asked_found c ON (c.finding, c.part, c.metric) = ('factors', f.id, 'latency')
LEFT JOIN asked_found l ON l.asked = c.asked AND latency_why = ''
LEFT JOIN contrast m ON m.asked = iif(b.why <> '' AND c.cells
                                      AND (NOT b.cells OR l.why = ''), c.asked, b.asked);
