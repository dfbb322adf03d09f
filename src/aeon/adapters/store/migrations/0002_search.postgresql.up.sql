-- Search: an index of what users define and share, kept by triggers in the transaction of each change.
--
-- The same tables as in SQLite, without an extension. The rows of an index begin with a scope: a search reads what its
-- user may see, and never goes through what others have.

-- A text with small letters, without accents, and with a blank for each character that is no part of a word.
-- `aeon.platform.search.tokenizer` has the same table.

CREATE FUNCTION search_folded(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN CASE WHEN given ~ '[^\u0001-\u007F]' THEN regexp_replace(translate(
        regexp_replace(given,
            '[\u00AD\u0300-\u036F\u0483-\u0489\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\u302A-\u302F' ||
            '\uFE00-\uFE0F\uFEFF]', '', 'g'),
        'ABCDEFGHIJKLMNOPQRSTUVWXYZµÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊ' ||
        'ċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĴĵĶķĹĺĻļĽľĿŁłŃńŅņŇňŊŌōŎŏŐőŒŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰ' ||
        'űŲųŴŵŶŷŸŹźŻżŽžſƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠơƢƤƦƧƩƬƮƯưƱƲƳƵƷƸƼǄǅǇǈǊǋǍǎǏǐǑǒǓǔǕǖǗǘǙǚǛǜǞǟǠǡǢǣǤǦǧǨǩǪǫǬǭǮǯǰǱǲǴ' ||
        'ǵǶǷǸǹǺǻǼǽǾǿȀȁȂȃȄȅȆȇȈȉȊȋȌȍȎȏȐȑȒȓȔȕȖȗȘșȚțȜȞȟȠȢȤȦȧȨȩȪȫȬȭȮȯȰȱȲȳȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲʹͶͿΆΈΉΊΌΎΏΐΑΒΓΔΕΖΗΘΙΚΛ' ||
        'ΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫάέήίΰςϊϋόύώϏϐϑϓϔϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШ' ||
        'ЩЪЫЬЭЮЯйѐёѓїќѝўѠѢѤѦѨѪѬѮѰѲѴѶѷѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӂӃӅӇӉӋӍӐӑӒӓӔӖӗӘӚӛӜӝӞӟӠӢӣӤӥӦӧӨӪӫӬӭӮ' ||
        'ӯӰӱӲӳӴӵӶӸӹӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖḀḁḂḃḄḅḆḇḈḉḊḋḌḍḎḏḐḑḒḓḔ' ||
        'ḕḖḗḘḙḚḛḜḝḞḟḠḡḢḣḤḥḦḧḨḩḪḫḬḭḮḯḰḱḲḳḴḵḶḷḸḹḺḻḼḽḾḿṀṁṂṃṄṅṆṇṈṉṊṋṌṍṎṏṐṑṒṓṔṕṖṗṘṙṚṛṜṝṞṟṠṡṢṣṤṥṦṧṨṩṪṫṬṭṮṯṰṱṲṳṴ' ||
        'ṵṶṷṸṹṺṻṼṽṾṿẀẁẂẃẄẅẆẇẈẉẊẋẌẍẎẏẐẑẒẓẔẕẖẗẘẙẛẞẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặẸẹẺẻẼẽẾếỀềỂểỄễỆệỈỉỊịỌọỎỏỐốỒồỔổỖỗỘ' ||
        'ộỚớỜờỞởỠỡỢợỤụỦủỨứỪừỬửỮữỰựỲỳỴỵỶỷỸỹỺỼỾἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏἐἑἒἓἔἕἘἙἚἛἜἝἠἡἢἣἤἥἦἧἨἩἪἫἬἭἮἯἰἱἲἳἴἵἶἷἸἹἺἻἼἽἾἿ' ||
        'ὀὁὂὃὄὅὈὉὊὋὌὍὐὑὒὓὔὕὖὗὙὛὝὟὠὡὢὣὤὥὦὧὨὩὪὫὬὭὮὯὰάὲέὴήὶίὸόὺύὼώᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩ' ||
        'ᾪᾫᾬᾭᾮᾯᾰᾱᾲᾳᾴᾶᾷᾸᾹᾺΆᾼιῂῃῄῆῇῈΈῊΉῌῐῑῒΐῖῗῘῙῚΊῠῡῢΰῤῥῦῧῨῩῪΎῬῲῳῴῶῷῸΌῺΏῼ０１２３４５６７８９ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸ' ||
        'ＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ',
        'abcdefghijklmnopqrstuvwxyzμaaaaaaæceeeeiiiiðnoooooouuuuyþaaaaaaceeeeiiiinoooooouuuuyyaaaaaaccccc' ||
        'cccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiĳjjkkllllllŀllnnnnnnŋooooooœrrrrrrssssssssttttttuuuuuuuuu' ||
        'uuuwwyyyzzzzzzsɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵooƣƥʀƨʃƭʈuuʊʋƴƶʒƹƽǆǆǉǉǌǌaaiioouuuuuuuuuuaaaaææǥggkkooooʒʒjǳǳg' ||
        'gƕƿnnaaææooaaaaeeeeiiiioooorrrruuuussttȝhhƞȣȥaaeeooooooooyyⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳʹͷϳαεηιουωιαβγδεζηθικλ' ||
        'μνξοπρστυφχψωιυαεηιυσιυουωϗβθϒϒφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽееђгєѕііјљњћкиуџабвгдежзииклмнопрстуфхцчш' ||
        'щъыьэюяиеегікиуѡѣѥѧѩѫѭѯѱѳѵѵѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏжжӄӆӈӊӌӎааааӕееәәәжжззӡииииооөөөээу' ||
        'уууууччӷыыӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆaabbbbbbccdddddddddde' ||
        'eeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuu' ||
        'uuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwysßaaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiiooooooooooooo' ||
        'ooooooooooouuuuuuuuuuuuuuyyyyyyyyỻỽỿααααααααααααααααεεεεεεεεεεεεηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιι' ||
        'οοοοοοοοοοοουυυυυυυυυυυυωωωωωωωωωωωωωωωωααεεηηιιοουυωωααααααααααααααααηηηηηηηηηηηηηηηηωωωωωωωωωω' ||
        'ωωωωωωααααααααααααιηηηηηεεηηηιιιιιιιιιιυυυυρρυυυυυυρωωωωωοοωωω0123456789abcdefghijklmnopqrstuvwx' ||
        'yzabcdefghijklmnopqrstuvwxyz'),
        '[\u0001-\u001F\u0021-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00AC\u00AE-\u00B1\u00B4' ||
        '\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7\u0375\u037E\u0384-\u0385\u0387\u03F6\u0482\u055A-\u055F' ||
        '\u0589-\u058A\u058D-\u058F\u1FBD\u1FBF-\u1FC1\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD-\u1FFE' ||
        '\u2000-\u200A\u2010-\u2029\u202F-\u205F\u2E00-\u2E2E\u2E30-\u2E5D\u3000-\u3004\u3008-\u3020\u3030' ||
        '\u3036-\u3037\u303D-\u303F\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF5E]', ' ', 'g')
    ELSE regexp_replace(
        translate(given, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'), '[^0-9a-z]', ' ', 'g')
    END;
END
$$;

CREATE FUNCTION search_grams_of(words text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT DISTINCT substr(padded, place, 3)
    FROM (SELECT '  ' || replace(words, ' ', '  ') || ' ' AS padded) AS name,
         generate_series(1, length(padded) - 2) AS place
$$;

CREATE FUNCTION search_terms_of(words text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT DISTINCT left(word, 64) FROM unnest(string_to_array(words, ' ')) AS word WHERE word <> ''
$$;

-- What can be found: one row a thing. Those that are shared have the scope '', all others their owner. Of a body, the
-- first 1,000 characters are folded.

CREATE TABLE search_documents (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    label      text COLLATE "C" NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    owner_id   text COLLATE "C" NOT NULL,
    shared     bigint NOT NULL CHECK (shared IN (0, 1)),
    scope      text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE shared WHEN 1 THEN '' ELSE owner_id END) STORED,
    name       text COLLATE "C" NOT NULL,
    body       text COLLATE "C" NOT NULL,
    name_words text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_folded(name)) STORED,
    body_words text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_folded(left(body, 1000))) STORED,
    UNIQUE (label, subject)
);

-- Which documents have a word, and whose names have three characters in a row

CREATE TABLE search_terms (
    scope    text COLLATE "C" NOT NULL,
    term     text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    PRIMARY KEY (scope, term, document)
);

CREATE TABLE search_grams (
    scope    text COLLATE "C" NOT NULL,
    gram     text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    PRIMARY KEY (scope, gram, document)
);

-- SQLite has the newest documents there; here each gets its rows above at once.

CREATE VIEW search_newest_terms AS SELECT scope, term, document FROM search_terms WHERE false;
CREATE VIEW search_newest_grams AS SELECT scope, gram, document FROM search_grams WHERE false;

CREATE FUNCTION index_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO search_terms (scope, term, document)
        SELECT NEW.scope, term, NEW.id FROM search_terms_of(NEW.name_words || ' ' || NEW.body_words) AS term;
        INSERT INTO search_grams (scope, gram, document)
        SELECT NEW.scope, gram, NEW.id FROM search_grams_of(NEW.name_words) AS gram;
    ELSE
        DELETE FROM search_terms
        WHERE scope = OLD.scope AND document = OLD.id
          AND term = ANY (ARRAY(SELECT search_terms_of(OLD.name_words || ' ' || OLD.body_words)));
        DELETE FROM search_grams
        WHERE scope = OLD.scope AND document = OLD.id AND gram = ANY (ARRAY(SELECT search_grams_of(OLD.name_words)));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER search_documents_indexed AFTER INSERT OR DELETE ON search_documents
FOR EACH ROW EXECUTE FUNCTION index_document();

-- The things of each kind but secrets. A template that is archived is not found.

CREATE FUNCTION index_thing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    thing jsonb := to_jsonb(NEW);
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM search_documents WHERE label = TG_ARGV[0] AND subject = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' AND coalesce(thing ->> 'archived', '0') = '0' THEN
        INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
        VALUES (TG_ARGV[0], NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(thing ->> 'description', ''));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER services_indexed AFTER INSERT OR DELETE ON services
FOR EACH ROW EXECUTE FUNCTION index_thing('Service');

CREATE TRIGGER services_reindexed AFTER UPDATE OF name, shared ON services
FOR EACH ROW WHEN ((OLD.name, OLD.shared)
    IS DISTINCT FROM (NEW.name, NEW.shared))
EXECUTE FUNCTION index_thing('Service');

CREATE TRIGGER tools_indexed AFTER INSERT OR DELETE ON tools
FOR EACH ROW EXECUTE FUNCTION index_thing('Tool');

CREATE TRIGGER tools_reindexed AFTER UPDATE OF name, description, shared ON tools
FOR EACH ROW WHEN ((OLD.name, OLD.description, OLD.shared)
    IS DISTINCT FROM (NEW.name, NEW.description, NEW.shared))
EXECUTE FUNCTION index_thing('Tool');

CREATE TRIGGER processes_indexed AFTER INSERT OR DELETE ON processes
FOR EACH ROW EXECUTE FUNCTION index_thing('Process');

CREATE TRIGGER processes_reindexed AFTER UPDATE OF name, description, shared ON processes
FOR EACH ROW WHEN ((OLD.name, OLD.description, OLD.shared)
    IS DISTINCT FROM (NEW.name, NEW.description, NEW.shared))
EXECUTE FUNCTION index_thing('Process');

CREATE TRIGGER service_templates_indexed AFTER INSERT OR DELETE ON service_templates
FOR EACH ROW EXECUTE FUNCTION index_thing('ServiceTemplate');

CREATE TRIGGER service_templates_reindexed AFTER UPDATE OF name, description, shared, archived ON service_templates
FOR EACH ROW WHEN ((OLD.name, OLD.description, OLD.shared, OLD.archived)
    IS DISTINCT FROM (NEW.name, NEW.description, NEW.shared, NEW.archived))
EXECUTE FUNCTION index_thing('ServiceTemplate');

CREATE TRIGGER tool_templates_indexed AFTER INSERT OR DELETE ON tool_templates
FOR EACH ROW EXECUTE FUNCTION index_thing('ToolTemplate');

CREATE TRIGGER tool_templates_reindexed AFTER UPDATE OF name, description, shared, archived ON tool_templates
FOR EACH ROW WHEN ((OLD.name, OLD.description, OLD.shared, OLD.archived)
    IS DISTINCT FROM (NEW.name, NEW.description, NEW.shared, NEW.archived))
EXECUTE FUNCTION index_thing('ToolTemplate');

-- What is there already

INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
SELECT label, id, owner_id, shared, name, body
FROM (
    SELECT 'Service' AS label, id, owner_id, shared, name, '' AS body, created_at
    FROM services
    UNION ALL
    SELECT 'Tool' AS label, id, owner_id, shared, name, description AS body, created_at
    FROM tools
    UNION ALL
    SELECT 'Process' AS label, id, owner_id, shared, name, description AS body, created_at
    FROM processes
    UNION ALL
    SELECT 'ServiceTemplate' AS label, id, owner_id, shared, name, coalesce(description, '') AS body, created_at
    FROM service_templates WHERE archived = 0
    UNION ALL
    SELECT 'ToolTemplate' AS label, id, owner_id, shared, name, coalesce(description, '') AS body, created_at
    FROM tool_templates WHERE archived = 0
) AS things
ORDER BY created_at, id;
